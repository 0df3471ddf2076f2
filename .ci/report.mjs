// What a run of vitest says of itself: `node .ci/report.mjs REPORT.json` prints "PASSED FAILED" for the sums of .ci/run, and
// the slowest files to standard error, so that whoever goes over a budget (docs/ci-budget.md) sees where.
import { readFileSync } from "node:fs";
import { relative } from "node:path";

const SHOWN = 5;

const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(process.argv[2], "utf8"));
// A file that cannot even be loaded, or that leaves something behind, counts as one failure.
const broken = testResults.filter(
  ({ status, assertionResults }) => status === "failed" && assertionResults.every((test) => test.status !== "failed"),
);
const slowest = testResults
  .map(({ name, startTime, endTime }) => ({
    file: relative(process.cwd(), name),
    seconds: (endTime - startTime) / 1000,
  }))
  .sort((a, b) => b.seconds - a.seconds)
  .slice(0, SHOWN);
console.error("slowest files:");
for (const { file, seconds } of slowest) {
  console.error(`${seconds.toFixed(0).padStart(6)} s  ${file}`);
}
console.log(numPassedTests, numFailedTests + broken.length);
