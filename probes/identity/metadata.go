package identity

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"time"
)

const (
	// linkLocal is the address of the metadata services of AWS, GCP
	// (metadata.google.internal) and Azure. It is not routed beyond the host.
	linkLocal = "http://169.254.169.254"
	// metadataTimeout bounds the time for all requests together.
	metadataTimeout = time.Second
	// maxAnswer is the largest accepted answer in bytes.
	maxAnswer = 64 << 10
)

// ask queries the metadata services of the clouds in parallel and returns their
// answers by the names of [Facts].Metadata; nil if there are none.
func ask(ctx context.Context, base string, clouds []cloud) map[string]string {
	if len(clouds) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, metadataTimeout)
	defer cancel()
	client := newClient(base)
	defer client.http.CloseIdleConnections()
	answers := make(chan map[string]string, len(clouds))
	for _, c := range clouds {
		go func() { answers <- client.ask(ctx, c) }()
	}
	var all map[string]string
	for range clouds {
		if answer := <-answers; len(answer) > 0 {
			if all == nil {
				all = map[string]string{}
			}
			maps.Copy(all, answer)
		}
	}
	return all
}

type client struct {
	base string
	http *http.Client
}

// newClient never uses a proxy, which would answer for another machine, and
// follows no redirect: metadata services send none.
func newClient(base string) client {
	return client{base, &http.Client{
		Transport: &http.Transport{Proxy: nil, DisableCompression: true, MaxResponseHeaderBytes: maxAnswer},
		CheckRedirect: func(*http.Request,
			[]*http.Request) error {
			return errors.New("a metadata service does not redirect")
		},
	}}
}

func (c client) ask(ctx context.Context, of cloud) map[string]string {
	answers := map[string]string{}
	keep := func(name, path string, header http.Header) {
		if text, err := c.get(ctx, http.MethodGet, path, header); err == nil {
			answers[name] = text
		}
	}
	switch of {
	case aws:
		token, err := c.get(ctx, http.MethodPut, "/latest/api/token",
			http.Header{"X-Aws-Ec2-Metadata-Token-Ttl-Seconds": {"60"}})
		if err != nil {
			return nil
		}
		keep(AWSDocument, "/latest/dynamic/instance-identity/document", http.Header{"X-Aws-Ec2-Metadata-Token": {token}})
	case gcp:
		google := http.Header{"Metadata-Flavor": {"Google"}}
		keep(GCPMachineType, "/computeMetadata/v1/instance/machine-type", google)
		keep(GCPZone, "/computeMetadata/v1/instance/zone", google)
	case azure:
		keep(AzureInstance, "/metadata/instance?api-version=2021-02-01", http.Header{"Metadata": {"true"}})
	}
	return answers
}

func (c client) get(ctx context.Context, method, path string, header http.Header) (string, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, http.NoBody)
	if err != nil {
		return "", err
	}
	request.Header = header
	response, err := c.http.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the metadata service answers %d", response.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return "", err
	}
	if len(body) > maxAnswer {
		return "", fmt.Errorf("the metadata service answers more than %d bytes", maxAnswer)
	}
	return string(body), nil
}
