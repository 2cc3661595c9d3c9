#!/usr/bin/env node
"use strict";
// Starts the program that npm has installed for this system, with our arguments, on our terminal.
const { spawn } = require("child_process");

const base = `@PACKAGE@-${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "@PROGRAM@.exe" : "@PROGRAM@";
let program;
for (const name of [base, `${base}-musl`]) {
  try {
    program = require.resolve(`${name}/bin/${file}`);
    break;
  } catch {
    // Not installed: it is for another system.
  }
}
if (!program) {
  console.error(`error: npm has installed no program for ${process.platform}-${process.arch}`);
  console.error("  hint: install again without --omit=optional; systems without a package build it from its sources");
  process.exit(1);
}
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
// Ctrl-C reaches the program by the terminal; it decides when to end, and we wait for it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    if (signal !== "SIGINT") child.kill(signal);
  });
}
child.on("error", (error) => {
  console.error(`error: start ${program}: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code) => process.exit(code ?? 1));
