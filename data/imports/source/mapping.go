package source

// Mapping says which columns of a wide table are what. Columns of Times hold
// the time of an iteration on a VM type each.
type Mapping struct {
	Source    string   `yaml:"source" json:"source"`         // source of the runs
	Basis     string   `yaml:"basis" json:"basis"`           // published (default) or measured
	AsOf      string   `yaml:"as_of" json:"as_of"`           // a date
	Mode      string   `yaml:"mode" json:"mode"`             // train (default) or infer
	Unit      string   `yaml:"unit" json:"unit"`             // of work
	Model     string   `yaml:"model" json:"model"`           // column
	Dataset   string   `yaml:"dataset" json:"dataset"`       // column
	Precision string   `yaml:"precision" json:"precision"`   // column
	BatchSize string   `yaml:"batch_size" json:"batch_size"` // column
	Variant   []string `yaml:"variant" json:"variant"`       // columns, joined by blanks
	Repeat    string   `yaml:"repeat" json:"repeat"`         // column that tells repeats apart

	Times map[string]TimeColumn `yaml:"times" json:"times"`
}

// TimeColumn describes a column of times.
type TimeColumn struct {
	Seconds float64 `yaml:"-" json:"-"` // one unit of the column
	// s, ms, us or ns; required, since a wrong guess is off by factors of
	// thousands
	In           string  `yaml:"unit" json:"unit"`
	Cloud        string  `yaml:"cloud" json:"cloud"` // of the VM type
	Region       string  `yaml:"region" json:"region"`
	InstanceType string  `yaml:"instance_type" json:"instance_type"`
	GPU          string  `yaml:"gpu" json:"gpu"`
	GPUCount     int     `yaml:"gpu_count" json:"gpu_count"`
	USDPerHour   float64 `yaml:"usd_per_hour" json:"usd_per_hour"` // 0 is unknown
}
