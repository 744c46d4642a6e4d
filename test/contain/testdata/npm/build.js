const fs = require("fs");
const { execFileSync } = require("child_process");
fs.mkdirSync("dist", { recursive: true });
fs.copyFileSync("src/app.js", "dist/app.js");
fs.chmodSync("dist/app.js", 0o755);
execFileSync(process.execPath, ["--check", "dist/app.js"]);
