/** `npm run pins`: how old the pinned releases are, and what is known of them. */
import { parseArgs } from "node:util";
import { isOnPublicPath } from "../catalog/pins";
import { style } from "../report/style";
import { type CommandIo, EXIT, messageOf } from "./io";
import { failing, type PinRow, pinRows } from "./pins/rows";
import { pinDetails, pinTable, upgradeOf } from "./pins/table";

const USAGE = `Usage: npm run pins -- [options]

Lists what the catalogue pins on the public path (what reads what clients send, and what is privileged): the day of its
release ("by": its day is unknown, but it was read then), the day up to which its advisories were read, both with their
age, and the published vulnerabilities that its release has. It asks nobody:
catalog/advisories.json is kept by hand. Engines that somebody must ask for are listed as opt-in, with the reason.

  --all        also what is neither reached by clients nor privileged
  --json       machine-readable: each row with all its fields
  -h, --help   this text

Exit status: 0 none of the public path is known to be vulnerable, 1 some is, 2 bad input.
`;

export const options = {
  all: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

/** Runs the command; returns its exit status. */
export async function main(
  argv: string[],
  io: Pick<CommandIo, "out" | "err" | "color">,
  rowsOf: () => PinRow[] = () => pinRows(new Date()),
): Promise<number> {
  const parsed = parse(argv);
  if ("problem" in parsed) {
    io.err(`${parsed.problem}\n\n${USAGE}`);
    return EXIT.badInput;
  }
  if (parsed.help) {
    io.out(USAGE);
    return EXIT.ok;
  }
  const rows = rowsOf().filter((row) => parsed.all || isOnPublicPath(row));
  const bad = failing(rows);
  io.out(parsed.json ? `${JSON.stringify(rows, undefined, 2)}\n` : report(rows, bad, io.color));
  return bad.length === 0 ? EXIT.ok : EXIT.refused;
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
    return { problem: messageOf(error) };
  }
}
