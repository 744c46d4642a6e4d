package gate

import v1 "policyd/api/v1"

// aboutNothing is the index key of a command line that runs nothing.
const aboutNothing = "nothing"

// allowReasons makes the reasons of an allow if the policy gave none. Item and rule of a cover suffice, and
// sentences would cost the policy time.
func allowReasons(covers []v1.Cover) []v1.Reason {
	if len(covers) == 0 {
		return []v1.Reason{{
			Rule: "facts/nothing", Code: "nothing_to_do", Effect: v1.EffectAllow, Message: "nothing to run", Item: -1,
		}}
	}
	reasons := make([]v1.Reason, len(covers))
	for i, cover := range covers {
		reasons[i] = v1.Reason{
			Rule: cover.Rule, Code: "covered", Effect: v1.EffectAllow, Message: "covered", Item: cover.Item,
		}
	}
	return reasons
}
