// A stand-in for OpenCode: loads the plugin given on the command line, runs the steps on standard input, and
// prints the result of each.
import { readFileSync, writeFileSync } from "node:fs"
const [, , plugin, directory] = process.argv
const steps = JSON.parse(readFileSync(0, "utf8"))
const replies = []
const toasts = []
const client = {
  // It fails after it was shown, which is no matter of the plugin's.
  tui: { showToast: async (request) => { toasts.push(request.body); writeFileSync(process.env.DIR + "/toast", ""); throw new Error("no screen") } },
  postSessionIdPermissionsPermissionId: async (request) => { replies.push(request) },
}
const module = await import(plugin)
const exported = Object.values(module)
if (exported.length !== 1) throw new Error("OpenCode takes every export for a plugin")
const hooks = await exported[0]({ client, directory, worktree: directory })
const results = []
for (const step of steps) {
  if (step.config !== undefined) { await hooks.config(step.config); continue }
  const before = replies.length, toasted = toasts.length
  let thrown = null
  try {
    if (step.after) await hooks["tool.execute.after"](step.after)
    else if (step.event) await hooks.event({ event: step.event })
    else await hooks["tool.execute.before"](step.input, step.output)
  } catch (error) { thrown = String(error.message) }
  results.push({ thrown, replies: replies.slice(before), toasts: toasts.slice(toasted) })
}
console.log(JSON.stringify(results))
