// What a run of vitest says of itself: `node .ci/report.mjs REPORT.json FAILURES` prints "PASSED FAILED" for the sums of
// .ci/run, adds what failed to the file FAILURES, which .ci/run shows at its end, and prints the slowest files to standard
// error, so that anyone over a budget (docs/ci-budget.md) sees where.
import { appendFileSync, readFileSync } from "node:fs";
import { relative } from "node:path";

const SHOWN = 12;
const LINES = 12;
const WIDTH = 400;

const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const path = (name) => relative(process.cwd(), name);
// A file that cannot even be loaded, or that leaves something behind, counts as one failure.
const broken = testResults.filter(
  ({ status, assertionResults }) => status === "failed" && assertionResults.every((test) => test.status !== "failed"),
);
// So does one that was skipped, unless its whole file failed before it.
const skipped = testResults
  .filter(({ status }) => status !== "failed")
  .flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter((test) => test.status !== "passed")
      .map((test) => `${path(name)} > ${test.fullName}: ${test.status}`),
  );
const failures = [
  ...testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter((test) => test.status === "failed")
      .map((test) => `${path(name)} > ${test.fullName}\n${indented(test.failureMessages.join("\n"))}`),
  ),
  ...skipped,
  ...broken.map(({ name, message }) => `${path(name)}\n${indented(message)}`),
];
appendFileSync(process.argv[3], failures.map((failure) => `${failure}\n`).join(""));

/** The first lines: a property's counterexample and its seed are there. */
function indented(text) {
  return text
    .split("\n")
    .slice(0, LINES)
    .map((line) => `    ${line.slice(0, WIDTH)}`)
    .join("\n");
}

const slowest = testResults
  .map(({ name, startTime, endTime }) => ({
    file: path(name),
    seconds: (endTime - startTime) / 1000,
  }))
  .sort((a, b) => b.seconds - a.seconds)
  .slice(0, SHOWN);
console.error("slowest files:");
for (const { file, seconds } of slowest) {
  console.error(`${seconds.toFixed(0).padStart(6)} s  ${file}`);
}
console.log(numPassedTests, numFailedTests + broken.length + skipped.length);
