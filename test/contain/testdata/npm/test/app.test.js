const assert = require("assert");
const { fork } = require("child_process");
const { Worker, isMainThread } = require("worker_threads");
const { sum } = require("../dist/app.js");
if (process.argv[2] === "child") {
  process.send(sum(1, 2, 3));
} else if (isMainThread) {
  assert.strictEqual(sum(1, 2, 3), 6);
  new Worker(__filename);
  fork(__filename, ["child"]).on("message", (m) => assert.strictEqual(m, 6));
}
