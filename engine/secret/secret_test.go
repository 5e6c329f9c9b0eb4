package secret

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	for _, c := range []struct{ command, want []string }{
		{[]string{"python3", "train.py", "--token", "abc", "--epochs", "3"},
			[]string{"python3", "train.py", "--token", "${TOKEN}", "--epochs", "3"}},
		{[]string{"env", "HF_TOKEN=abc", "Api_Key=d e=f", "PATH=/bin", "train.py"},
			[]string{"env", "HF_TOKEN=${HF_TOKEN}", "Api_Key=${API_KEY}", "PATH=/bin", "train.py"}},
		{[]string{"run", "--API-KEY=x y", "--db.password=1234", "-password", "p", "KEY=k"},
			[]string{"run", "--API-KEY=${API_KEY}", "--db.password=${DB_PASSWORD}", "-password", "${PASSWORD}", "KEY=${KEY}"}},
		{[]string{"curl", "-H", "Authorization: Bearer abc.def", "https://me:pw@host/x?token=t1&n=2"},
			[]string{"curl", "-H", "Authorization: Bearer ${AUTHORIZATION}",
				"https://me:${PASSWORD}@host/x?token=${TOKEN}&n=2"}},
		{[]string{"sh", "-c", "SECRET=s TOKEN='t u' python3 x.py --auth-token v --n 3; echo \"password: w\""},
			[]string{"sh", "-c", "SECRET=${SECRET} TOKEN='${TOKEN} u' python3 x.py --auth-token ${AUTH_TOKEN} --n 3; echo " +
				"\"password: ${PASSWORD}\""}},
		{[]string{"x", "ghp_0123456789abcdefghijABCDEFGHIJ", "hf_abcdefghijklmnop"}, []string{"x", "${SECRET}", "${SECRET}"}},
		{[]string{"aws", "AKIAABCDEFGHIJKLMNOP", "eyJhbGciOiJIUz.eyJzdWIiOiIxMj.sig-nature-0", "sk-0123456789abcdef"},
			[]string{"aws", "${SECRET}", "${SECRET}", "${SECRET}"}},
		// What is no secret.
		{[]string{"x", "--tokenizer", "gpt2", "--max-tokens", "64", "--token", "--n", "3", "--monkey", "m", "keys=3"}, nil},
		{[]string{"x", "--use-auth-token", "True", "--token", "$T", "--key=${K}", "PASSWORD=", "--password=***"}, nil},
		{[]string{"x", "https://me@host:8080/a:b@c", "a=b", "a=b=c", "--lr", "0.1", "PWD=/home/me"}, nil},
	} {
		if c.want == nil {
			c.want = c.command
		}
		got := Words(c.command)
		if !slices.Equal(got, c.want) {
			t.Errorf("%q\n got %q\nwant %q", c.command, got, c.want)
		}
		if again := Words(got); !slices.Equal(again, got) {
			t.Errorf("%q is hidden again: %q", got, again)
		}
	}
}

func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"Namespace(token='abc', lr=0.1)":                         "Namespace(token='***', lr=0.1)",
		`{"password": "abc", "api_key": "d", "epochs": 3}`:       `{"password": "***", "api_key": "***", "epochs": 3}`,
		"wandb: logged in with API key: 0a1b2c":                  "wandb: logged in with API key: ***",
		"authorization: basic YWJj":                              "authorization: basic ***",
		"+ python3 train.py --token abc --epochs 3":              "+ python3 train.py --token *** --epochs 3",
		"fetching https://me:pw@host/x":                          "fetching https://me:***@host/x",
		"opts=fast,api_key=abc epoch=1":                          "opts=fast,api_key=*** epoch=1",
		"PASSWORD=1234":                                          "PASSWORD=***",
		"time per token: 0.31 s, loss=2.3, token=512, key=0.5":   "time per token: 0.31 s, loss=2.3, token=512, key=0.5",
		"Epoch 1/3: 100%|####| 60/60 [00:03<00:00, 19.9it/s]":    "Epoch 1/3: 100%|####| 60/60 [00:03<00:00, 19.9it/s]",
		"tokens: 5 keys: 3 secretary: Ann; author=me; pass=1 ok": "tokens: 5 keys: 3 secretary: Ann; author=me; pass=*** ok",
	} {
		if got := Text(text); got != want {
			t.Errorf("%q\n got %q\nwant %q", text, got, want)
		}
		if got := Text(want); got != want {
			t.Errorf("%q is hidden again: %q", want, got)
		}
	}
}

// A command that was kept runs again with its secrets from the environment, and
// never with what hides them.
func TestExpand(t *testing.T) {
	set := map[string]string{"TOKEN": "abc", "PASSWORD": "p w"}
	lookup := func(name string) (string, bool) { v, ok := set[name]; return v, ok }
	command := []string{"python3", "x.py", "--token", "abc", "https://me:p w@h", "--n=3", "PASSWORD=p w"}
	kept := Words([]string{"python3", "x.py", "--token", "abc", "https://me:pw@h", "--n=3", "PASSWORD=p w"})
	if got, err := Expand(kept, lookup); err != nil || !slices.Equal(got, command) {
		t.Errorf("%q, %v", got, err)
	}
	script := []string{"sh", "-c", "x --token ${TOKEN} --n $N"}
	if got, err := Expand(script, lookup); err != nil || !slices.Equal(got, script) {
		t.Errorf("%q, %v", got, err)
	}
	plain := []string{"x", "${TOKEN}", "--n", "${N}", "--token", "$TOKEN", "***"}
	if got, err := Expand(plain, lookup); err != nil || !slices.Equal(got, plain) {
		t.Errorf("what is not hidden stays: %q, %v", got, err)
	}
	for _, c := range []struct {
		command []string
		says    string
	}{
		{[]string{"x", "--api-key", "${API_KEY}"}, "set API_KEY in"},
		{[]string{"x", "--api-key", "***", "TOKEN=***", "--token", "***"}, "set API_KEY, TOKEN in"},
		{[]string{"x", "https://me:***@host"}, "set PASSWORD in"},
		{[]string{"sh", "-c", "x --secret ***"}, "set SECRET in"},
		{[]string{"sh", "-c", "x --secret ${SECRET}"}, "set SECRET in"},
	} {
		if got, err := Expand(c.command, lookup); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q became %q, %v", c.command, got, err)
		}
	}
}

func FuzzWords(f *testing.F) {
	f.Add("--token\x00abc\x00-c\x00KEY=x y\x00https://a:b@c")
	f.Add("Authorization: Bearer x\x00--key=\x00=\x00${A}")
	f.Fuzz(func(t *testing.T, joined string) {
		words := strings.Split(joined, "\x00")
		once := Words(words)
		if len(once) != len(words) || !reflect.DeepEqual(Words(once), once) {
			t.Fatalf("%q, then %q, then %q", words, once, Words(once))
		}
		if text := Text(joined); Text(text) != text {
			t.Fatalf("%q, then %q", text, Text(text))
		}
	})
}
