/**
 * Fits planner/speed/constants.json and margins.json to measured.csv again: `npx tsx test/bench/speed/refit.ts`, by hand, after a
 * change of formulas, priors or measurements. The same files give the same figures.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../../../names/repository-root";
import { constantRows } from "../../../planner/speed/constants";
import { ownMargins } from "../../../planner/speed/margin";
import { fitConstants } from "./fit";
import { heldOut, marginsOf, QUANTILES } from "./held-out";
import { OWN_MEASUREMENTS } from "./index";
import { type Resolved, resolve } from "./resolve";
import { readMeasured } from "./rows";

const answered = readMeasured(readFileSync(OWN_MEASUREMENTS, "utf8"))
  .map(resolve)
  .filter((each): each is Resolved => "setup" in each);
const folder = join(repositoryRoot(), "planner/speed");

const constants: object = JSON.parse(readFileSync(join(folder, "constants.json"), "utf8"));
writeLines("constants.json", { ...constants, rows: fitConstants(answered, constantRows) });

const outcomes = heldOut(answered, constantRows, (text) => void process.stderr.write(`${text}\n`));
const margins: object = JSON.parse(readFileSync(join(folder, "margins.json"), "utf8"));
writeLines("margins.json", {
  ...margins,
  source: `${outcomes.length} predictions for measured.csv without their model or card, by test/bench/speed/refit.ts`,
  quantiles: QUANTILES,
  widening: ownMargins.widening,
  rows: marginsOf(outcomes),
});

/** One row a line. */
function writeLines(file: string, content: object): void {
  const parts = Object.entries(content).map(([key, value]: [string, unknown]) =>
    Array.isArray(value) && typeof value[0] === "object"
      ? ` ${JSON.stringify(key)}: [\n${value.map((row) => `  ${JSON.stringify(row)}`).join(",\n")}\n ]`
      : ` ${JSON.stringify(key)}: ${JSON.stringify(value)}`,
  );
  writeFileSync(join(folder, file), `{\n${parts.join(",\n")}\n}\n`);
}
