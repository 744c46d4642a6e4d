// A stand-in for OpenCode: loads the plugin named on the command line, feeds it
// the steps on standard input, and prints what each came to.
import { readFileSync } from "node:fs"
const [, , plugin, directory] = process.argv
const steps = JSON.parse(readFileSync(0, "utf8"))
const replies = []
const client = {
  postSessionIdPermissionsPermissionId: async (request) => { replies.push(request) },
}
const module = await import(plugin)
const exported = Object.values(module)
if (exported.length !== 1) throw new Error("OpenCode takes every export for a plugin")
const hooks = await exported[0]({ client, directory, worktree: directory })
const results = []
for (const step of steps) {
  if (step.config !== undefined) { await hooks.config(step.config); continue }
  const before = replies.length
  let thrown = null
  try {
    if (step.after) await hooks["tool.execute.after"](step.after)
    else if (step.event) await hooks.event({ event: step.event })
    else await hooks["tool.execute.before"](step.input, step.output)
  } catch (error) { thrown = String(error.message) }
  results.push({ thrown, replies: replies.slice(before) })
}
console.log(JSON.stringify(results))
