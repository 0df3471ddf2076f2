/** `npm run pins`: age, vulnerabilities and image digests of pinned releases. */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type ImageDigests, imageDigests } from "../catalog/image-digests";
import { isOnPublicPath } from "../catalog/pins";
import { HttpRegistry } from "../charts/http-registry";
import type { Registry } from "../charts/registry";
import { writeWhole } from "../charts/whole-file";
import { repositoryRoot } from "../names/repository-root";
import { style } from "../report/style";
import { type CommandIo, EXIT, isFileSystemError, lineOf } from "./io";
import { digestsText, fillDigests, imagesToAsk } from "./pins/digests";
import { digestReport } from "./pins/digests-text";
import { failing, type PinRow, pinRows } from "./pins/rows";
import { pinDetails, pinTable, upgradeOf } from "./pins/table";

const DIGESTS_FILE = "catalog/image-digests.json";

const USAGE = `Usage: npm run pins -- [options]

Lists what the catalogue pins on the public path (what reads what clients send, and what is privileged): the day of its
release ("by": its day is unknown, but it was read then), the day up to which its advisories were read, both with their
age, and the published vulnerabilities that its release has. It works offline:
catalog/advisories.json is kept by hand. Engines that must be requested are listed as opt-in, with the reason.

  --all        also what is neither reached by clients nor privileged
  --digests    instead: ask the registries for the digests of these images, and write those that
               ${DIGESTS_FILE} lacks into it. A digest that is there is compared, and never replaced
  --json       machine-readable: each row with all its fields
  -h, --help   this text

Exit status: 0 none of the public path is known to be vulnerable, 1 some is, 2 bad input. With --digests: 0 the list has
every digest, 1 a registry has another or did not answer.
`;

export const options = {
  all: { type: "boolean", default: false },
  digests: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

export interface PinsPlace {
  readonly rows: () => readonly PinRow[];
  readonly today: Date;
  readonly digests: ImageDigests;
  /** `repository:tag`. @default the public path's, and the list's */
  readonly images?: readonly string[];
  readonly registry: Registry;
  /** Of the list. */
  readonly file: string;
}

/** Exit status. */
export async function main(argv: string[], io: CommandIo, place: PinsPlace = placeHere()): Promise<number> {
  const parsed = parse(argv);
  if ("problem" in parsed) {
    io.err(`${parsed.problem}\n\n${USAGE}`);
    return EXIT.badInput;
  }
  if (parsed.help) {
    io.out(USAGE);
    return EXIT.ok;
  }
  if (parsed.digests) {
    return digests(place, parsed.json, io);
  }
  const rows = place.rows().filter((row) => parsed.all || isOnPublicPath(row));
  const bad = failing(rows);
  io.out(parsed.json ? `${JSON.stringify(rows, undefined, 2)}\n` : report(rows, bad, io.color));
  return bad.length === 0 ? EXIT.ok : EXIT.refused;
}

function placeHere(): PinsPlace {
  const today = new Date();
  return {
    rows: () => pinRows(today),
    today,
    digests: imageDigests,
    registry: new HttpRegistry(),
    file: join(repositoryRoot(), DIGESTS_FILE),
  };
}

async function digests(place: PinsPlace, isJson: boolean, io: CommandIo): Promise<number> {
  const { digests: list, images = imagesToAsk(list), registry, today, file } = place;
  const filled = await fillDigests(list, images, registry, today.toISOString().slice(0, 10));
  try {
    writeWhole(file, digestsText(filled.list));
  } catch (error) {
    if (!isFileSystemError(error)) {
      throw error;
    }
    io.err(`${file} cannot be written: ${error.message}. Run this in a checkout of your own\n`);
    return EXIT.refused;
  }
  io.out(
    isJson ? `${JSON.stringify(filled.rows, undefined, 2)}\n` : digestReport(filled.rows, list.byTag, style(io.color)),
  );
  return filled.rows.some(({ problem }) => problem !== undefined) ? EXIT.refused : EXIT.ok;
}

function report(rows: readonly PinRow[], bad: readonly PinRow[], color: boolean): string {
  const s = style(color);
  const end =
    bad.length === 0
      ? s.good("No pin on the public path has a published vulnerability that was read.")
      : s.bad(`Raise ${bad.map(upgradeOf).join(", ")}.`);
  return `${pinTable(rows, s)}\n${pinDetails(rows)}${end}\n`;
}

function parse(argv: string[]) {
  try {
    return parseArgs({ args: argv, options }).values;
  } catch (error) {
    return { problem: lineOf(error) };
  }
}
