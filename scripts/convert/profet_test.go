package convert

import (
	"strings"
	"testing"
	"testing/fstest"
)

const profetHeader = "model,dataset,optimizer,batchsize,exp_name,batch_latency,g4dn.xlarge,p2.xlarge,g3s.xlarge\n"

func profetOf(text string) fstest.MapFS {
	return fstest.MapFS{"profet_wide.csv": {Data: []byte(profetHeader + text)}}
}

func TestProfet(t *testing.T) {
	set, err := profet(profetOf("Net,64dataset,SGD,32,exp01,0.025,50000,,nan\nNet,64dataset,Adam,32,exp01,0.03,,,\n"))
	if err != nil || len(set.Runs) != 3 || len(set.Models) != 1 {
		t.Fatalf("%+v, %v", set, err)
	}
	p3, g4, adam := set.Runs[0], set.Runs[1], set.Runs[2]
	if p3.InstanceType != "p3.2xlarge" || p3.Steady.Value != 0.025 || g4.InstanceType != "g4dn.xlarge" ||
		g4.Steady.Value != 0.05 {
		t.Errorf("seconds and microseconds: %+v, %+v", p3, g4)
	}
	if p3.Model != "Net" || p3.Variant.Name != "64 px" || adam.Variant.Name != "64 px Adam" || p3.BatchSize != 32 {
		t.Errorf("%+v, %+v", p3, adam)
	}
}

func TestProfetSaysWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"Net,64dataset,SGD,none,exp01,1,1,1,1\n": `row 2: batchsize "none"`,
		",64dataset,SGD,1,exp01,1,1,1,1\n":       `model "" is no model`,
		"Net,64dataset,SGD,1,exp01,-1,1,1,1\n":   `batch_latency "-1" is no time`,
		"Net,64dataset,SGD,1,exp01,1,inf,1,1\n":  `g4dn.xlarge "inf"`,
		"Net,64dataset,SGD,1.5,exp01,1,1,1,1\n":  `batchsize "1.5" is no batch size`,
		"Net,64dataset,SGD,1e18,exp01,1,1,1,1\n": `batchsize "1e18" is no batch size`,
		"Net,64dataset,SGD,1,exp01,-1,x,-1,x\n":  `row 2: batch_latency "-1"`,
	} {
		if _, err := profet(profetOf(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := profet(fstest.MapFS{}); !Absent(err) {
		t.Errorf("an absent set: %v", err)
	}
}
