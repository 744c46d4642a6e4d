// policyd's plugin for OpenCode. Written by `policyd install opencode`; it is
// replaced by the next install, and `policyd doctor` compares it.
//
// Every tool call goes to policyd before it runs. Only throwing blocks a tool,
// so whatever is not a clear answer throws.
import { spawn } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"

// The hook program with its arguments, and its deadline in milliseconds.
const COMMAND = /*COMMAND*/ []
const DEADLINE = /*DEADLINE*/ 0
const MOST = 8 * 1024 * 1024
// How long a question is held before a toast shows it, and how long the toast stays until it comes again.
const SILENCE = 1000
const TOAST = 15000

class Refused extends Error {}

// ask runs the hook program once and resolves to policyd's answer.
function ask(payload, directory) {
  return new Promise((resolve, reject) => {
    const refuse = (why) => reject(new Refused(`policyd: the call is refused, since policyd can't judge it: ${why}`))
    let child
    try {
      const text = JSON.stringify(payload)
      child = spawn(COMMAND[0], [...COMMAND.slice(1), "--project", directory], { stdio: ["pipe", "pipe", "ignore"] })
      let out = ""
      const timer = setTimeout(() => { child.kill("SIGKILL"); refuse("the hook program gave no answer in time") }, DEADLINE)
      child.on("error", (error) => { clearTimeout(timer); refuse(error.message) })
      child.stdin.on("error", () => {}) // the exit status suffices
      child.stdout.setEncoding("utf8")
      child.stdout.on("data", (part) => {
        out += part
        if (out.length > MOST) child.kill("SIGKILL")
      })
      child.on("close", (status) => {
        clearTimeout(timer)
        const answer = read(out)
        if (answer === undefined) return refuse("the hook program gave no answer")
        if (status !== 0 && answer.decision !== "deny") return refuse(`the hook program ended with ${status}`)
        resolve(answer)
      })
      child.stdin.end(text)
    } catch (error) {
      if (child) child.kill("SIGKILL")
      refuse(error.message)
    }
  })
}

// read takes one object with a decision that is known, or gives undefined.
function read(text) {
  let answer
  try { answer = JSON.parse(text) } catch { return undefined }
  if (answer === null || typeof answer !== "object" || Array.isArray(answer)) return undefined
  return ["allow", "ask", "deny"].includes(answer.decision) ? answer : undefined
}

function reasonOf(answer) {
  return typeof answer.reason === "string" && answer.reason !== "" ? answer.reason : "policyd refuses the call"
}

// whileHeld shows where to answer while a call waits. It doesn't affect the call.
function whileHeld(client, waiting) {
  if (!COMMAND.includes("--hold")) return waiting
  const toast = () => {
    try {
      const shown = client.tui.showToast({ body: {
        title: "policyd", message: "A call waits for an answer: policyd prompts watch, or policyd console", variant: "warning", duration: TOAST,
      } })
      Promise.resolve(shown).catch(() => {}) // there is no screen
    } catch {} // an OpenCode without toasts
  }
  let timer = setTimeout(() => { toast(); timer = setInterval(toast, TOAST) }, SILENCE)
  return waiting.finally(() => clearTimeout(timer))
}

const edits = ["write", "edit", "patch", "apply_patch", "multiedit"]

// everyAsks states whether a rule, or each of an object's, asks or denies.
function everyAsks(rule) {
  if (rule === "ask" || rule === "deny") return true
  return rule !== null && typeof rule === "object" && "*" in rule && Object.values(rule).every(everyAsks)
}

// rewrite puts other arguments in the place of a call's, in the object that the tool is given.
function rewrite(args, by) {
  if (by === null || typeof by !== "object" || Array.isArray(by) || typeof by.command !== "string" || by.command === "")
    throw new Refused("policyd: the call is refused, since its new arguments can't be read")
  for (const key of Object.keys(args)) if (!(key in by)) delete args[key]
  Object.assign(args, by)
  if (args.command !== by.command) throw new Refused("policyd: the call is refused, since its arguments can't be changed")
}

// asks states whether OpenCode itself is sure to ask a person about the tool: every rule that could match it
// asks, and no agent has rules of its own.
function asks(config, tool) {
  if (!config || Object.values(config.agent ?? {}).some((agent) => agent?.permission !== undefined)) return false
  const permission = edits.includes(tool) ? "edit" : tool
  const rules = config.permission
  if (typeof rules === "string") return rules === "ask"
  if (rules === null || typeof rules !== "object") return false
  const matching = Object.entries(rules).filter(([key]) => key === permission || /[*?]/.test(key))
  return matching.some(([key]) => key === permission || key === "*") && matching.every(([, rule]) => everyAsks(rule))
}

// mark leaves a file by which `policyd doctor` sees that OpenCode loads this.
function mark(directory) {
  try {
    const file = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "policyd", "opencode-loaded.json")
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, JSON.stringify({ plugin: import.meta.url, directory, loaded_at: new Date().toISOString() }) + "\n")
  } catch {} // a mark that is missing makes the doctor warn
}

export const Policyd = async ({ client, directory, worktree }) => {
  mark(directory)
  let config
  // Unfinished calls, by session and call. If two share one key, no permission is matched to either.
  const calls = new Map()
  const keyOf = (sessionID, callID) => `${sessionID} ${callID}`
  const begin = (key) => {
    const call = calls.get(key) ?? { open: 0, shared: false, allowed: false }
    call.open++
    if (call.open > 1) call.shared = true
    calls.set(key, call)
    return call
  }
  const end = (key) => {
    const call = calls.get(key)
    if (call && --call.open <= 0) calls.delete(key)
  }

  const answerPermission = async (event) => {
    const asked = event.properties
    let response = "reject"
    try {
      const call = calls.get(keyOf(asked.sessionID, asked.tool?.callID))
      if (call?.allowed && !call.shared) {
        response = "once"
      } else {
        const answer = await ask({ hook_event_name: "event-permission.asked", event, directory, worktree }, directory)
        if (answer.decision === "ask") return // the person at OpenCode answers
        if (answer.decision === "allow") response = "once"
      }
    } catch {} // refused
    await client.postSessionIdPermissionsPermissionId({
      path: { id: asked.sessionID, permissionID: asked.id },
      body: { response },
      query: { directory },
    })
  }

  return {
    config: async (loaded) => { config = loaded },
    "tool.execute.before": async (input, output) => {
      const key = keyOf(input.sessionID, input.callID)
      const call = begin(key)
      try {
        const payload = {
          hook_event_name: "tool.execute.before",
          input: { tool: input.tool, sessionID: input.sessionID, callID: input.callID },
          output: { args: output.args },
          directory, worktree,
        }
        const answer = await whileHeld(client, ask(payload, directory))
        if (answer.decision === "allow") {
          if (answer.args !== undefined) rewrite(output.args, answer.args)
          call.allowed = true
        }
        else if (answer.decision !== "ask" || !asks(config, input.tool)) throw new Refused(reasonOf(answer))
      } catch (error) {
        end(key)
        throw error
      }
    },
    "tool.execute.after": async (input) => { end(keyOf(input.sessionID, input.callID)) },
    event: async ({ event }) => {
      if (event?.type === "permission.asked" && event.properties) await answerPermission(event)
    },
  }
}
