package v1

// Explanation explains a decision in words, for people who read it and for machines that show it. No decision
// depends on it. Lists are never null.
type Explanation struct {
	// Facts state what the call is, a line each.
	Facts []string          `json:"facts"`
	Items []ItemExplanation `json:"items"`
	// Rules are all rules that applied: their covers, and their findings.
	Rules []SpokenRule `json:"rules"`
	// Near are the remembered answers and grants that came closest to applying.
	Near []NearMiss `json:"near"`
	// Remedies state what would allow the call; none for a call that is allowed.
	Remedies []string `json:"remedies"`
	// Fault states why the explanation is not whole, empty when it is.
	Fault string `json:"fault"`
}

// ItemExplanation is one item in words.
type ItemExplanation struct {
	Text string `json:"text"`
	// CoveredBy are the ids of all rules that cover it.
	CoveredBy []string `json:"covered_by"`
	// Missing is why nothing covers the item, if nothing does.
	Missing []string `json:"missing"`
}

// SpokenRule is a rule that covered an item or contributed a finding.
type SpokenRule struct {
	// Rule is its id. Says is cover, prompt or deny.
	Rule string `json:"rule"`
	Says string `json:"says"`
	// Title is empty if the rule has no metadata.
	Title string `json:"title"`
	// File and Row are its position in the bundle.
	File string `json:"file"`
	Row  int    `json:"row"`
	// Items are the indices of the items that it speaks of, ascending; none for
	// the call as a whole.
	Items    []int    `json:"items"`
	Messages []string `json:"messages"`
	// Remedy states what would satisfy a finding, as the rule's metadata has it.
	Remedy string `json:"remedy"`
}

// NearMiss is a remembered answer or a path grant that did not apply.
type NearMiss struct {
	// Kind is approval or grant.
	Kind string `json:"kind"`
	// Text is how it is listed: "git push in /srv/other".
	Text string `json:"text"`
	// Item is the index of the item that it was nearest to.
	Item int    `json:"item"`
	Why  string `json:"why"`
}

// Account is a policy's account of an input, in addition to its judgement.
type Account struct {
	Rules []SpokenRule
	// Missing are texts by item, sorted.
	Missing map[int][]string
}
