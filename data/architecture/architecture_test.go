package architecture

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sweetspot/engine/transformer"
)

// The parameters counted from each architecture are as many as its publisher's weights have:
// the totals of the model cards' safetensors.
func TestParametersAreThePublishedOnes(t *testing.T) {
	published := map[string]float64{
		"llama-2-7b": 6738415616, "llama-2-13b": 13015864320, "llama-2-70b": 68976648192, "llama-3.1-8b": 8030261248,
		"llama-3.1-70b": 70553706496, "llama-3.1-405b": 405853388800, "llama-3.2-1b": 1235814400,
		"llama-3.2-3b": 3212749824, "llama-3.3-70b": 70553706496, "tinyllama-1.1b": 1100048384, "mistral-7b": 7241732096,
		"mixtral-8x7b": 46702792704, "qwen-7b": 7721324544, "qwen-14b": 14167290880, "qwen-72b": 72287920128,
		"qwen2.5-0.5b": 494032768, "qwen2.5-1.5b": 1543714304, "qwen2.5-3b": 3085938688, "qwen2.5-7b": 7615616512,
		"qwen2.5-14b": 14770033664, "qwen2.5-32b": 32763876352, "qwen2.5-72b": 72706203648, "qwen3-8b": 8190735360,
		"qwen3-14b": 14768307200, "qwen3-32b": 32762123264, "gemma-2-2b": 2614341888, "gemma-2-9b": 9241705984,
		"gemma-2-27b": 27227128320,
	}
	all := Builtin()
	if len(all) != len(published) {
		t.Errorf("%d architectures, %d published totals", len(all), len(published))
	}
	for _, a := range all {
		if got := a.Params().Total(); got != published[a.Name] {
			t.Errorf("%s: %.0f parameters, published are %.0f", a.Name, got, published[a.Name])
		}
		if a.Source == "" || a.MaxPositions == 0 {
			t.Errorf("%s has no source or longest sequence", a.Name)
		}
	}
}

// What transformers writes of models is read as the built-in table has it.
func TestConfigurations(t *testing.T) {
	for name, text := range map[string]string{
		"llama-3.1-8b": `{"architectures":["LlamaForCausalLM"],"attention_bias":false,"hidden_size":4096,
			"intermediate_size":14336,"max_position_embeddings":131072,"mlp_bias":false,"model_type":"llama",
			"num_attention_heads":32,"num_hidden_layers":32,"num_key_value_heads":8,"rope_scaling":{"factor":8.0},
			"tie_word_embeddings":false,"torch_dtype":"bfloat16","vocab_size":128256}`,
		"llama-2-7b": "\ufeff" + `{"hidden_size":4096,"intermediate_size":11008,"max_position_embeddings":4096,
			"model_type":"llama","num_attention_heads":32,"num_hidden_layers":32,"vocab_size":32000}`,
		"mixtral-8x7b": `{"model_type":"mixtral","hidden_size":4096,"intermediate_size":14336,"num_attention_heads":32,
			"num_hidden_layers":32,"num_key_value_heads":8,"num_experts_per_tok":2,"num_local_experts":8,
			"max_position_embeddings":32768,"vocab_size":32000}`,
		"qwen2.5-0.5b": `{"model_type":"qwen2","hidden_size":896,"intermediate_size":4864,"num_attention_heads":14,
			"num_hidden_layers":24,"num_key_value_heads":2,"tie_word_embeddings":true,"max_position_embeddings":32768,
			"vocab_size":151936}`,
		"qwen3-32b": `{"model_type":"qwen3","attention_bias":false,"head_dim":128,"hidden_size":5120,
			"intermediate_size":25600,"num_attention_heads":64,"num_hidden_layers":64,"num_key_value_heads":8,
			"tie_word_embeddings":false,"max_position_embeddings":40960,"vocab_size":151936}`,
		"gemma-2-9b": `{"model_type":"gemma2","head_dim":256,"hidden_size":3584,"intermediate_size":14336,
			"num_attention_heads":16,"num_hidden_layers":42,"num_key_value_heads":8,"max_position_embeddings":8192,
			"vocab_size":256000}`,
	} {
		got, err := Read(strings.NewReader(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, want := range Builtin() {
			if want.Name == name {
				got.Name, got.Source = want.Name, want.Source
				if got != want {
					t.Errorf("%+v, want %+v", got, want)
				}
			}
		}
	}
}

func TestBadConfigurations(t *testing.T) {
	whole := `{"model_type":"llama","hidden_size":64,"intermediate_size":128,"num_attention_heads":4,` +
		`"num_hidden_layers":2,"vocab_size":100`
	for text, want := range map[string]string{
		"":                          "cut off",
		"{":                         "cut off",
		"[]":                        "out of place",
		"{}":                        "names no model_type",
		`{"model_type":"t5"}`:       "not one of gemma",
		`{"model_type":"llama"}`:    "num_hidden_layers is missing",
		`{"model_type":"a\u001b[m"`: "cut off",
		`{"model_type":"llava","num_hidden_layers":2,"text_config":{}}`: "takes more than text",
		whole:                                                               "cut off",
		whole + `,"num_key_value_heads":3}`:                                 "cannot share 3",
		whole + `,"num_key_value_heads":0}`:                                 "num_key_value_heads is 0",
		whole + `,"vocab_size":-1}`:                                         "vocab_size is -1",
		whole + `,"vocab_size":1e300}`:                                      "unexpected there",
		whole + `,"hidden_size":4.5}`:                                       "unexpected there",
		whole + `,"hidden_size":"64"}`:                                      "unexpected there",
		whole + `,"num_hidden_layers":99999999999}`:                         "num_hidden_layers is 99999999999",
		whole + `,"num_hidden_layers":9999999999999999999999}`:              "unexpected there",
		whole + `,"mlp_bias":true}`:                                         "mlp_bias is set",
		whole + `,"attention_bias":true}`:                                   "attention_bias",
		strings.Replace(whole, "llama", "mixtral", 1) + `}`:                 "num_experts is missing",
		strings.Replace(whole, "llama", "mixtral", 1) + `,"num_experts":4}`: "how many experts a token takes",
		strings.Replace(whole, "llama", "mixtral", 1) + `,"num_experts":4,"num_experts_per_tok":5}`:   "5 of 4 experts",
		strings.Replace(whole, "llama", "qwen3_moe", 1) + `,"num_experts":4,"decoder_sparse_step":2}`: "not equal",
		whole + `,"x":"` + strings.Repeat("a", mostBytes) + `"}`:                                      "longer than 1 MiB",
	} {
		if _, err := Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %q", text, err, want)
		}
	}
}

func TestReadFile(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "my-model")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if IsConfig(folder) {
		t.Error("an empty folder has a config.json")
	}
	text := `{"model_type":"llama","hidden_size":64,"intermediate_size":128,"num_attention_heads":4,` +
		`"num_hidden_layers":2,"vocab_size":100}`
	file := filepath.Join(folder, "config.json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{folder, file} {
		a, err := ReadFile(path)
		if err != nil || a.Name != "my-model" || a.HeadSize != 16 || a.KVHeads != 4 {
			t.Errorf("%s: %+v, %v", path, a, err)
		}
	}
	if IsConfig("llama-3.1-8b") || !IsConfig("x.json") {
		t.Error("a name is a configuration, or a file of JSON none")
	}
	for path, want := range map[string]string{filepath.Join(folder, "none.json"): "no such file",
		t.TempDir(): "has no config.json", "/dev/zero.json": "no such file"} {
		if _, err := ReadFile(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`{"model_type":"llama","hidden_size":64,"intermediate_size":128,"num_attention_heads":4,` +
		`"num_hidden_layers":2,"vocab_size":100}`)
	f.Add(`{"model_type":"mixtral","hidden_size":64,"intermediate_size":1,"num_attention_heads":4,"num_local_experts":3,` +
		`"num_hidden_layers":2,"vocab_size":100,"num_experts_per_tok":2}`)
	f.Fuzz(func(t *testing.T, text string) {
		a, err := Read(strings.NewReader(text))
		if err != nil {
			if s := err.Error(); s == "" || strings.ContainsAny(s, "\n\x1b") {
				t.Errorf("%q", s)
			}
			return
		}
		if err := a.Check(); err != nil {
			t.Error(err)
		}
		for _, method := range []transformer.Method{transformer.Full, transformer.LoRA} {
			way := transformer.DefaultTuning(method)
			if n := way.Trainable(a); !(n > 0) || !(way.FLOPs(a) > 0) {
				t.Errorf("%g parameters learn", n)
			}
		}
	})
}
