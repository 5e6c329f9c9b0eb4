package profile

// unchanged is the title of the variant in which nothing was traded for speed.
const unchanged = "unchanged"

// Title is the variant's name, also where it has none: unchanged.
func (v Variant) Title() string {
	if v.Name == "" {
		return unchanged
	}
	return v.Name
}

// VariantOfTitle is the name of the variant that has such a title.
func VariantOfTitle(title string) string {
	if title == unchanged {
		return ""
	}
	return title
}
