// The pages of the console: live updates and answers. All texts come from the server as finished
// HTML, in which they are escaped, or are set as text.
const root = "/console";
const list = document.getElementById("list");
const live = document.getElementById("live");
const settling = 300; // ms in which a card that has come up by itself takes no answer
const undoTime = 5000;
let current = null;
let lastUndo = null;

// Browsers send a cookie to every port of a host. Writes are therefore signed with a key that this origin
// alone can use, and that no script can read.
async function keys() {
  const base = await new Promise((done, failed) => {
    const opening = indexedDB.open("policyd", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("keys");
    opening.onsuccess = () => done(opening.result);
    opening.onerror = () => failed(opening.error);
  });
  const run = (mode, act) => new Promise((done, failed) => {
    const request = act(base.transaction("keys", mode).objectStore("keys"));
    request.onsuccess = () => done(request.result);
    request.onerror = () => failed(request.error);
  });
  let pair = await run("readonly", (store) => store.get("session"));
  if (!pair) {
    pair = await crypto.subtle.generateKey({name: "ECDSA", namedCurve: "P-256"}, false, ["sign", "verify"]);
    await run("readwrite", (store) => store.put(pair, "session"));
  }
  base.close();
  return pair;
}

const base64 = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

async function proof(path, text) {
  const now = String(Date.now());
  const {privateKey} = await keys();
  const signed = await crypto.subtle.sign({name: "ECDSA", hash: "SHA-256"}, privateKey, new TextEncoder().encode(path + "\n" + now + "\n" + text));
  return now + "." + base64(signed);
}

async function login(status) {
  const code = new URLSearchParams(location.search).get("code") || "";
  history.replaceState(null, "", root + "/login");
  try {
    const {publicKey} = await keys();
    const key = base64(await crypto.subtle.exportKey("raw", publicKey));
    const result = await post(root + "/login", {code, key});
    if (result.ok) return location.replace(root + "/");
    status.textContent = "Not logged in: " + result.data.error + ".";
  } catch (failure) {
    status.textContent = "Not logged in: this browser keeps no key (" + failure.message + ").";
  }
}

async function post(path, body) {
  let response;
  const text = JSON.stringify(body);
  try {
    const headers = {"Content-Type": "application/json"};
    if (path !== root + "/login") headers["Policyd-Proof"] = await proof(path, text);
    response = await fetch(path, {method: "POST", headers, body: text});
  } catch {
    return {ok: false, status: 0, data: {error: "The server can't be reached; nothing was changed."}};
  }
  const data = await response.json().catch(() => ({error: "The answer of the server can't be read."}));
  return {ok: response.ok, status: response.status, data};
}

async function part(path) {
  const response = await fetch(path, {headers: {Accept: "text/html"}});
  if (!response.ok) throw new Error(String(response.status));
  return new DOMParser().parseFromString(await response.text(), "text/html").body;
}

function toast(text, act) {
  const box = document.createElement("div");
  box.className = "toast";
  const words = document.createElement("span");
  words.textContent = text;
  box.append(words);
  if (act) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = act.label;
    button.addEventListener("click", () => { box.remove(); act.run(); });
    box.append(button);
  }
  document.getElementById("toasts").append(box);
  setTimeout(() => box.remove(), act ? undoTime : 6000);
  return box;
}

const cards = () => [...document.querySelectorAll("#list .card")];
const open = () => cards().filter((card) => card.dataset.state === "pending");
const idsOf = (card) => card.dataset.ids.split(" ");

function count() {
  times();
  const total = document.getElementById("total");
  if (!total) return;
  const waiting = open();
  const number = waiting.reduce((sum, card) => sum + idsOf(card).length, 0);
  total.textContent = String(number);
  document.getElementById("nothing").hidden = waiting.length > 0;
  document.title = (number > 0 ? "(" + number + ") " : "") + "Waiting · policyd";
}

function select(card, focus) {
  if (current) current.classList.remove("current");
  current = card;
  if (!card) return;
  card.classList.add("current");
  if (focus) {
    card.focus({preventScroll: true});
    card.scrollIntoView({block: "nearest"});
  }
}

// A card under the pointer or with the focus stays in its place: new cards above it scroll the page.
function keepPlace(change) {
  const anchor = document.querySelector("#list .card:hover, #list .card:focus-within, #list .card.current");
  const before = anchor ? anchor.getBoundingClientRect().top : 0;
  change();
  if (anchor && anchor.isConnected) window.scrollBy(0, anchor.getBoundingClientRect().top - before);
  noteAbove();
}

function noteAbove() {
  const above = document.getElementById("above");
  if (!above) return;
  const first = open()[0];
  above.hidden = !first || first.getBoundingClientRect().bottom > 0;
}

// show takes a group with one card from the server.
function show(group) {
  const card = group.querySelector(".card");
  const ids = idsOf(card);
  const known = cards().find((other) => other.dataset.equal === card.dataset.equal && other.dataset.state === "pending")
    || cards().find((other) => idsOf(other).some((id) => ids.includes(id)));
  keepPlace(() => {
    if (known) {
      const focused = known.contains(document.activeElement) && document.activeElement.dataset.choice;
      const chosen = known === current;
      known.replaceWith(card);
      if (chosen) select(card, false);
      if (focused) {
        const button = card.querySelector('[data-choice="' + CSS.escape(focused) + '"]');
        (button || card).focus({preventScroll: true});
      }
      return;
    }
    if (card.dataset.state !== "pending") return;
    card.classList.add("fresh");
    const home = [...list.querySelectorAll(".group")].find((other) => other.dataset.group === group.dataset.group);
    if (home) home.querySelector("h2").after(card);
    else list.prepend(group);
  });
  if (!current || !current.isConnected || current.dataset.state !== "pending") {
    const next = open()[0];
    select(next || null, false);
    if (next) next.dataset.since = String(performance.now());
  }
  count();
}

async function refresh(id) {
  try {
    const body = await part(root + "/cards/" + encodeURIComponent(id));
    const group = body.querySelector(".group");
    if (group) show(document.adoptNode(group));
  } catch (failure) {
    if (failure.message === "404") ended(id);
  }
}

function ended(id) {
  const card = cards().find((other) => idsOf(other).includes(id));
  if (!card) return;
  const rest = idsOf(card).filter((other) => other !== id);
  if (rest.length > 0) {
    card.dataset.ids = rest.join(" ");
    refresh(rest[0]);
  } else {
    refresh(id);
  }
}

async function reload() {
  try {
    const body = await part(root + "/list");
    const selected = current ? idsOf(current)[0] : "";
    list.replaceChildren(...[...body.childNodes].map((node) => document.adoptNode(node)));
    select(open().find((card) => idsOf(card).includes(selected)) || open()[0] || null, false);
    count();
  } catch (failure) {
    if (failure.message === "401") over();
  }
}

function over() {
  state("Logged out", true);
  for (const button of document.querySelectorAll("button.choice")) button.disabled = true;
  toast("This browser is not logged in any more. Run policyd console for a new link.");
}

function state(text, off) {
  live.textContent = text;
  live.classList.toggle("off", off);
}

// Answers.

function say(card, text) {
  card.querySelector(".said").textContent = text;
}

function disarm(but) {
  for (const button of document.querySelectorAll("button.armed")) {
    if (button === but) continue;
    button.classList.remove("armed");
    const card = button.closest(".card");
    if (card) say(card, "");
  }
}

async function answer(card, button) {
  disarm(button);
  if (card.dataset.state !== "pending" || card.dataset.busy) return;
  if (performance.now() - Number(card.dataset.since || -settling) < settling) {
    say(card, "This question has just come up. Look at it and press again.");
    return;
  }
  const confirmed = button.classList.contains("armed");
  if (button.hasAttribute("data-twice") && !confirmed) {
    button.classList.add("armed");
    say(card, "This holds in every directory, for good. Press again to approve it anywhere.");
    return;
  }
  card.dataset.busy = "1";
  for (const other of card.querySelectorAll("button.choice")) other.disabled = true;
  const ids = idsOf(card);
  const result = await post(root + "/answer", {ids, choice: button.dataset.choice, confirmed});
  delete card.dataset.busy;
  if (result.ok) {
    card.dataset.mine = "1";
    const more = result.data.answered > 1 ? " (" + result.data.answered + " calls)" : "";
    const undo = result.data.undo;
    if (undo) {
      const run = () => takeBack(undo);
      const box = toast(result.data.resolution + more, {label: "Undo", run});
      lastUndo = {run: () => { box.remove(); run(); }, until: performance.now() + undoTime};
    } else {
      toast(result.data.resolution + more);
    }
    for (const id of ids) refresh(id);
    return;
  }
  if (result.status === 401) return over();
  for (const other of card.querySelectorAll("button.choice")) other.disabled = false;
  button.classList.remove("armed");
  say(card, "Not answered: " + result.data.error);
  if (result.status === 409 || result.status === 410) for (const id of ids) refresh(id);
}

async function takeBack(undo) {
  lastUndo = null;
  const result = await post(root + "/undo", {undo});
  toast(result.ok ? result.data.message : "Not undone: " + result.data.error);
}

// Buttons that change something else.

async function act(button) {
  disarm(button);
  if (button.hasAttribute("data-twice") && !button.classList.contains("armed")) {
    button.classList.add("armed");
    toast("Press again to do that.");
    return;
  }
  const body = {};
  for (const name of ["approval", "grant", "session", "agent", "ttl"]) if (button.dataset[name]) body[name] = button.dataset[name];
  if (button.dataset.from) {
    body.directory = button.closest(".row").querySelector("input.directory").value;
    if (!body.directory) return toast("Name the directory first.");
  }
  button.disabled = true;
  const result = await post(button.dataset.post, body);
  button.disabled = false;
  button.classList.remove("armed");
  toast(result.ok ? result.data.message : "Not changed: " + result.data.error);
  if (!result.ok) return;
  if (button.hasAttribute("data-row")) button.closest(".row").remove();
  else location.reload();
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.dataset.choice) answer(button.closest(".card"), button);
  else if (button.dataset.post) act(button);
  else if (button.id === "above") window.scrollTo({top: 0});
  else if (button.id === "logout") post(root + "/logout", {}).then(() => location.reload());
});

document.addEventListener("focusin", (event) => {
  const card = event.target.closest("#list .card");
  if (card && card !== current) select(card, false);
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return;
  if (event.target.closest("input, select, textarea")) return;
  if (event.key === "u" && lastUndo && performance.now() < lastUndo.until) return lastUndo.run();
  if (!list) return;
  const waiting = open();
  const at = waiting.indexOf(current);
  const scrolls = event.target.closest("pre");
  if (event.key === "n" || (event.key === "ArrowDown" && !scrolls)) {
    event.preventDefault();
    select(waiting[(at + 1) % waiting.length] || null, true);
  } else if (event.key === "p" || (event.key === "ArrowUp" && !scrolls)) {
    event.preventDefault();
    select(waiting[(at - 1 + waiting.length) % waiting.length] || null, true);
  } else if (current && current.dataset.state === "pending" && event.key.length === 1) {
    const button = [...current.querySelectorAll("button.choice")].find((one) => one.querySelector("kbd")?.textContent === event.key);
    if (button) answer(current, button);
    else if ("oshatcryd".includes(event.key)) say(current, "This question doesn't offer that.");
  }
});
window.addEventListener("scroll", noteAbove, {passive: true});

// Live updates.

let queued = 0;
async function newDecisions() {
  const rows = document.getElementById("rows");
  if (!rows || new URLSearchParams(location.search).get("from") > "0" || queued) return;
  queued = setTimeout(async () => {
    queued = 0;
    const query = new URLSearchParams(location.search);
    query.set("rows", "1");
    const response = await fetch(root + "/decisions?" + query);
    if (!response.ok) return;
    const table = new DOMParser().parseFromString("<table><tbody>" + await response.text() + "</tbody></table>", "text/html");
    const known = new Set([...rows.children].map((row) => row.dataset.id));
    const fresh = [...table.querySelectorAll("tr")].filter((row) => !known.has(row.dataset.id));
    rows.prepend(...fresh.map((row) => document.adoptNode(row)));
    while (rows.children.length > 500) rows.lastElementChild.remove();
  }, 250);
}

function listen() {
  const source = new EventSource(root + "/events?after=" + encodeURIComponent(list ? list.dataset.cursor : ""));
  source.addEventListener("open", () => state("Live", false));
  source.addEventListener("error", async () => {
    state("Reconnecting", true);
    if (source.readyState !== EventSource.CLOSED) return;
    const response = await fetch(root + "/list", {headers: {Accept: "text/html"}}).catch(() => null);
    if (response && response.status === 401) return over();
    setTimeout(() => { if (list) { list.dataset.cursor = "start"; } listen(); }, 1000);
  });
  if (list) {
    source.addEventListener("prompt.created", (event) => refresh(JSON.parse(event.data).id));
    source.addEventListener("prompt.ended", (event) => ended(JSON.parse(event.data).id));
    source.addEventListener("resync", reload);
  }
  if (document.getElementById("rows")) source.addEventListener("decision", newDecisions);
  window.addEventListener("pagehide", () => source.close());
}

function times() {
  for (const element of document.querySelectorAll("time.expires")) {
    const left = Math.round((Date.parse(element.dateTime) - Date.now()) / 1000);
    element.title = element.dateTime;
    const hours = Math.floor(left / 3600), minutes = Math.floor(left / 60) % 60;
    element.textContent = left <= 0 ? "now" : hours > 0 ? hours + " h " + minutes + " min" : minutes > 0 ? minutes + " min" : left + " s";
  }
}

const entry = document.getElementById("login");
if (entry) login(entry);
if (live) {
  listen();
  setInterval(times, 1000);
  times();
  if (list) {
    count();
    select(document.querySelector(".card[data-selected]") || open()[0] || null, Boolean(document.querySelector(".card[data-selected]")));
  }
}
