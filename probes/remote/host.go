// Package remote runs a probe's command on another host through the system's
// ssh. It sends an agent in plain Python through the connection, so the host
// needs only Python and what the command itself uses. The command's output
// comes back as if it ran here. A detached command goes on without the
// connection, and its record is collected later.
package remote

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"unicode"

	"sweetspot/engine/plaintext"
)

// Host is where to run: a destination of ssh, including names from the user's
// ssh configuration.
type Host struct {
	Destination string // user@vm, vm
	Port        string // "" for ssh's own choice
}

// Parse reads user@vm, user@vm:port, ssh://user@vm:port or user@[address]:port.
// Names may be passed to commands in the user's ssh configuration, so only
// characters that are safe in a shell word are accepted.
func Parse(text string) (Host, error) {
	shown := plaintext.Cut(plaintext.Clean(text), 80)
	wrong := func(what string) (Host, error) {
		return Host{}, fmt.Errorf("%q is not a host: %s; write user@vm or user@vm:port", shown, what)
	}
	rest := strings.TrimSuffix(strings.TrimPrefix(text, "ssh://"), "/")
	user, place := "", rest
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		if user, place = rest[:i], rest[i+1:]; user == "" {
			return wrong("the user before the @ is missing")
		}
	}
	name, port, err := splitPort(place)
	switch {
	case err != nil:
		return wrong(err.Error())
	case name == "":
		return wrong("it has no name")
	case strings.HasPrefix(user, "-") || strings.HasPrefix(name, "-"):
		return wrong("a name cannot begin with -")
	}
	marks := "._-"
	if strings.Contains(name, ":") {
		marks = "._-:%" // an address, with its zone
	}
	for _, part := range [][2]string{{user, "._-+@"}, {name, marks}} {
		for _, r := range part[0] {
			if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(part[1], r) {
				return wrong(fmt.Sprintf("%q is not allowed in a name", r))
			}
		}
	}
	if user != "" {
		name = user + "@" + name
	}
	return Host{name, port}, nil
}

// splitPort splits off the port; an IPv6 address needs brackets for that.
func splitPort(place string) (name, port string, err error) {
	if inner, ok := strings.CutPrefix(place, "["); ok {
		address, after, closed := strings.Cut(inner, "]")
		if _, err := netip.ParseAddr(address); !closed || err != nil || !strings.Contains(address, ":") {
			return "", "", fmt.Errorf("the brackets do not contain an IPv6 address")
		}
		if after != "" && after[0] != ':' {
			return "", "", fmt.Errorf("only : and a port may follow the brackets")
		}
		return address, strings.TrimPrefix(after, ":"), checkPort(after)
	}
	switch strings.Count(place, ":") {
	case 0:
		return place, "", nil
	case 1:
		name, port, _ = strings.Cut(place, ":")
		return name, port, checkPort(":" + port)
	}
	if _, err := netip.ParseAddr(place); err != nil {
		return "", "", fmt.Errorf("it has more than one colon and is not an IPv6 address")
	}
	return place, "", nil
}

func checkPort(text string) error {
	if text == "" {
		return nil
	}
	if n, err := strconv.Atoi(text[1:]); err != nil || n < 1 || n > 65535 || text[1] == '+' {
		return fmt.Errorf("a port is a number from 1 to 65535")
	}
	return nil
}

// String is the host as [Parse] reads it.
func (h Host) String() string {
	if h.Port == "" {
		return h.Destination
	}
	user, name := "", h.Destination
	if i := strings.LastIndexByte(name, '@'); i >= 0 {
		user, name = name[:i+1], name[i+1:]
	}
	if strings.Contains(name, ":") {
		name = "[" + name + "]"
	}
	return user + name + ":" + h.Port
}
