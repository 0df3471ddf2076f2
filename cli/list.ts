/** `npm run list`: names for environments. */
import { parseArgs } from "node:util";
import { visible } from "../names/visible";
import { usedImages } from "../report/images";
import { suggest } from "../stacks/config/core/problems";
import { type CommandIo, EXIT, lineOf } from "./io";
import { cardRows, engineRows, modelRows, shapeRows } from "./list/rows";
import { cardTable, engineTable, imageTable, modelTable, shapeTable } from "./list/tables";
import { environmentNamed, type Problem } from "./read-environment";

interface Named {
  readonly name: string;
}

interface Listing {
  readonly json: readonly Named[];
  readonly text: string;
}

/** Rows whose text has every word, in both forms. */
function listing<R extends Named>(
  rows: readonly R[],
  words: readonly string[],
  text: (rows: readonly R[]) => string,
): Listing {
  const kept = rows.filter((row) => {
    const all = JSON.stringify(Object.values(row)).toLowerCase();
    return words.every((word) => all.includes(word.toLowerCase()));
  });
  return { json: kept, text: text(kept) };
}

/** Images for a registry without internet. */
async function environmentImages([environment, ...words]: readonly string[]): Promise<Listing | Problem> {
  const opened = environmentNamed(environment);
  if ("problem" in opened) {
    return opened;
  }
  // Loads the whole program, which other lists do not need.
  const { runEnvironment } = await import("../offline/environment");
  const { recording } = await runEnvironment(opened);
  const rows = usedImages(recording.resources).map(({ image, usedBy }) => ({ name: image, usedBy }));
  return listing(rows, words, imageTable);
}

const LISTS: Readonly<Record<string, (words: readonly string[]) => Listing | Promise<Listing | Problem>>> = {
  models: (words) => listing(modelRows(), words, modelTable),
  shapes: (words) => listing(shapeRows(), words, shapeTable),
  cards: (words) => listing(cardRows(), words, cardTable),
  engines: (words) => listing(engineRows(), words, engineTable),
  images: environmentImages,
};

const USAGE = `Usage: npm run list -- <${Object.keys(LISTS).join(" | ")}> [word ...] [options]

Prints what the catalogue has: models by name, machine shapes of the clouds with list prices, cards for machines of your
own, engines with their weight formats; and every container image of an environment: images <environment>. Words keep the rows that have all of them: npm run list -- shapes oci h100

  --json       machine-readable: each row with all its fields
  -h, --help   this text

Exit status: 0 listed, 1 no row has the words, 2 bad input.
`;

export const options = {
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

/** Other names of lists. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  gpus: "cards",
  gpu: "cards",
  instances: "shapes",
  machines: "shapes",
};

/** Exit status. */
export async function main(argv: string[], io: Pick<CommandIo, "out" | "err">): Promise<number> {
  const parsed = parse(argv);
  if ("problem" in parsed) {
    io.err(`${parsed.problem}\n\n${USAGE}`);
    return EXIT.badInput;
  }
  const { values, positionals } = parsed;
  if (values.help) {
    io.out(USAGE);
    return EXIT.ok;
  }
  const [what = "", ...words] = positionals;
  const list = Object.hasOwn(LISTS, what) ? LISTS[what] : undefined;
  if (!list) {
    const names = Object.keys(LISTS);
    const meant = Object.hasOwn(OTHER_NAMES, what) ? `did you mean "${OTHER_NAMES[what]}"?` : undefined;
    const problem =
      what === ""
        ? "name a list"
        : `there is no list "${visible(what)}"; ${meant ?? suggest(what, names, "name another")}`;
    io.err(`${problem}: ${names.join(", ")}\n\n${USAGE}`);
    return EXIT.badInput;
  }
  const listed = await list(words);
  if ("problem" in listed) {
    io.err(`${listed.problem}\n`);
    return EXIT.badInput;
  }
  const { json, text } = listed;
  if (json.length === 0) {
    io.err(`none of the ${what} has ${words.join(" and ")}\n`);
    return EXIT.refused;
  }
  io.out(values.json ? `${JSON.stringify(json, undefined, 2)}\n` : text);
  return EXIT.ok;
}

function parse(argv: string[]) {
  try {
    return parseArgs({ args: argv, options, allowPositionals: true });
  } catch (error) {
    return { problem: lineOf(error) };
  }
}
