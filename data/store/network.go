package store

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"sweetspot/data/bundle"
	"sweetspot/data/textfile"
	"sweetspot/engine/plaintext"
)

// NetworkVariable is the environment variable that lets a database be opened on a network disk;
// the flag of that name sets it, so that processes that this one starts may do so too.
const NetworkVariable = "SWEETSPOT_NETWORK_DISK"

// localVariable names another folder for the database than [localFolder] does, where the default
// place is on a network disk.
const localVariable = "SWEETSPOT_LOCAL_DIR"

// networks are the file systems of other machines by their magic numbers, from statfs(2) and the
// kernel's linux/magic.h: there SQLite's locks and shared memory do not work between machines.
var networks = map[int64]string{
	0x6969: "NFS", 0x517b: "SMB", 0xff534d42: "CIFS", 0xfe534d42: "SMB", 0x0bd00bd0: "Lustre", 0x47504653: "GPFS",
	0x19830326: "BeeGFS", 0x00c36400: "CephFS", 0x5346414f: "AFS", 0x6b414653: "AFS", 0x73757245: "Coda",
	0x7461636f: "OCFS2",
	0x01161970: "GFS2", 0xaad7aaea: "PanFS", 0x20030528: "OrangeFS", 0x01021997: "9p", 0x564c: "NCP", 0x786f4256: "vboxsf",
}

// magicFUSE is of all file systems of other programs.
const magicFUSE = 0x65735546

// fuseNetworks are parts of the names of those that are of other machines.
var fuseNetworks = []string{"sshfs", "gluster", "s3fs", "rclone", "gcsfuse", "goofys", "juicefs", "curlftpfs", "davfs",
	"ceph", "beegfs", "mfs", "lizardfs", "seaweedfs", "weka", "alluxio", "blobfuse", "mountpoint-s3", "smb", "cifs", "nfs",
	"afp"}

// statfs tells the magic number of a path's file system and, of FUSE, its name. Only tests take
// another.
var statfs = func(path string) (magic int64, name string, err error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return 0, "", err
	}
	magic = int64(s.Type) & 0xffffffff
	if magic == magicFUSE {
		name = mountedAs(path)
	}
	return magic, name, nil
}

// mountedAs finds the type of the file system that a path is on, such as fuse.sshfs.
func mountedAs(path string) string {
	var at unix.Stat_t
	if unix.Stat(path, &at) != nil {
		return ""
	}
	device := fmt.Sprintf("%d:%d", unix.Major(uint64(at.Dev)), unix.Minor(uint64(at.Dev)))
	f, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		left, right, ok := strings.Cut(lines.Text(), " - ")
		if words := strings.Fields(left); ok && len(words) > 2 && words[2] == device {
			kind, _, _ := strings.Cut(right, " ")
			return kind
		}
	}
	return ""
}

// networkOf names the network file system that a path is on, or will be; "" for a local one.
func networkOf(path string) string {
	magic, name, err := statfs(path)
	for errors.Is(err, fs.ErrNotExist) && path != filepath.Dir(path) {
		path = filepath.Dir(path)
		magic, name, err = statfs(path)
	}
	if err != nil {
		return "" // opening will say what is wrong
	}
	if magic == magicFUSE {
		for _, part := range fuseNetworks {
			if strings.Contains(name, part) {
				return plaintext.Line(name, 40)
			}
		}
		return ""
	}
	return networks[magic]
}

// refuseNetwork refuses a database on a network disk, unless the user wants it there.
func (s *Store) refuseNetwork() error {
	network := networkOf(s.path)
	if network == "" || os.Getenv(NetworkVariable) == "1" {
		return nil
	}
	return fmt.Errorf("%s is on a network disk (%s), where SQLite's locks do not hold between machines and a database "+
		"may be damaged; copy it to a local disk and exchange runs with sweetspot sync, or open it with --network-disk "+
		"while no other machine does", s.name, network)
}

// Home is the folder of the default database and of what is kept beside it:
// $XDG_DATA_HOME/sweetspot, by default below ~/.local/share.
func Home() (string, error) {
	dir := os.Getenv("XDG_DATA_HOME")
	if !filepath.IsAbs(dir) { // unset, or relative, which XDG says to ignore
		home := os.Getenv("HOME")
		if !filepath.IsAbs(home) { // a folder that anyone can guess would be anyone's
			return "", errors.New("there is no folder for your database, because HOME is not set; set it, or name a database " +
				"with --db")
		}
		dir = filepath.Join(home, ".local", "share")
	}
	return filepath.Join(dir, "sweetspot"), nil
}

// placeOf is where the default database is: in its home, or where that is on a network disk, in
// a folder of this machine. share is then the folder of bundles in its home.
func placeOf(home string) (path string, share *bundle.Directory, err error) {
	path = filepath.Join(home, "profiles.db")
	if networkOf(home) == "" || os.Getenv(NetworkVariable) == "1" {
		return path, nil, nil
	}
	dir, err := localFolder()
	if err != nil {
		return "", nil, err
	}
	sum := sha256.Sum256([]byte(home))
	return filepath.Join(dir, hex.EncodeToString(sum[:4]), "profiles.db"),
		&bundle.Directory{Path: filepath.Join(home, "bundles")}, nil
}

// localFolder is a private folder that outlives a restart: /var/tmp/sweetspot-UID.
func localFolder() (string, error) {
	dir := os.Getenv(localVariable)
	if dir != "" && !filepath.IsAbs(dir) {
		return "", fmt.Errorf("%s is not the path of a folder from the root on: %s", localVariable, plaintext.Quote(dir))
	}
	if dir == "" {
		dir = fmt.Sprintf("/var/tmp/sweetspot-%d", os.Getuid())
	}
	mend := "; name a private folder of a local disk in " + localVariable
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("your database can't be in %s (%v)%s", display(dir), textfile.Cause(err), mend)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return "", fmt.Errorf("your database can't be in %s (%v)%s", display(dir), textfile.Cause(err), mend)
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir() || !ok || int(owner.Uid) != os.Getuid() || info.Mode().Perm()&0o077 != 0:
		return "", fmt.Errorf("your database can't be in %s, which is not a folder of yours alone%s", display(dir), mend)
	case networkOf(dir) != "":
		return "", fmt.Errorf("your database can't be in %s, which is on a network disk too%s", display(dir), mend)
	}
	return dir, nil
}
