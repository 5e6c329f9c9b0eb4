package source

// Mapping says which columns of a table are what. What is no column is a word
// for all rows.
type Mapping struct {
	Source string `yaml:"source,omitempty"` // of the runs
	Basis  string `yaml:"basis,omitempty"`  // published (default) or measured
	AsOf   string `yaml:"as_of,omitempty"`  // a date
	Unit   string `yaml:"unit,omitempty"`   // of work
	Metric string `yaml:"metric,omitempty"` // that accuracy is
	Mode   string `yaml:"mode,omitempty"`   // train (default), infer, or a column that says which

	Model        string   `yaml:"model,omitempty"` // columns
	Dataset      string   `yaml:"dataset,omitempty"`
	Precision    string   `yaml:"precision,omitempty"`
	Variant      []string `yaml:"variant,omitempty,flow"` // joined by blanks
	BatchSize    string   `yaml:"batch_size,omitempty"`
	Repeat       string   `yaml:"repeat,omitempty"` // tells repeats apart
	GPU          string   `yaml:"gpu,omitempty"`
	GPUCount     string   `yaml:"gpu_count,omitempty"`
	Cloud        string   `yaml:"cloud,omitempty"`
	Region       string   `yaml:"region,omitempty"`
	InstanceType string   `yaml:"instance_type,omitempty"`
	USDPerHour   string   `yaml:"usd_per_hour,omitempty"`
	Accuracy     string   `yaml:"accuracy,omitempty"` // a fraction or percent

	Times map[string]TimeColumn `yaml:"times,omitempty,flow"`
}

// TimeColumn describes a column of times or rates and, if it is that of one VM
// type, which.
type TimeColumn struct {
	// s, ms, us or ns of an iteration, units/s or it/s, or s/epoch; required, since
	// a wrong guess is off by factors of thousands
	In           string  `yaml:"unit"`
	Cloud        string  `yaml:"cloud,omitempty"`
	Region       string  `yaml:"region,omitempty"`
	InstanceType string  `yaml:"instance_type,omitempty"`
	GPU          string  `yaml:"gpu,omitempty"`
	GPUCount     int     `yaml:"gpu_count,omitempty"`
	USDPerHour   float64 `yaml:"usd_per_hour,omitempty"` // 0 is unknown
}
