/** `npm run pin -- --catalogue`: every model of the catalogue against the files that its repository has now. */
import { parseArgs } from "node:util";
import { findModel, modelNames } from "../../catalog/models";
import { type CommandIo, EXIT, messageOf } from "../io";
import { commitOf, type Hub, HubError, hubOf } from "./hub";
import { type Comparison, comparePublished, differenceLines, isDifferent } from "./published";

/** Repositories that are asked at once. */
const CONCURRENCY = 4;

/** @returns 1 where a model differs, or none could be compared. */
export async function compareCatalogue(
  argv: readonly string[],
  io: CommandIo,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: { catalogue: { type: "boolean" }, json: { type: "boolean", default: false } },
    });
    const hub = hubOf(env);
    const compared = await compareAll(hub);
    io.out(values.json ? json(compared) : report(compared));
    const isKnown = compared.some(({ comparison }) => "differences" in comparison);
    return isKnown && !compared.some(({ comparison }) => isDifferent(comparison)) ? EXIT.ok : EXIT.refused;
  } catch (error) {
    io.err(`${messageOf(error)}\nnpm run pin -- --catalogue takes no environment, and --json alone beside it\n`);
    return error instanceof HubError ? EXIT.refused : EXIT.badInput;
  }
}

interface Compared {
  readonly name: string;
  readonly commit: string | undefined;
  readonly comparison: Comparison;
}

async function compareAll(hub: Hub): Promise<Compared[]> {
  const compared: Compared[] = [];
  const waiting = modelNames().values();
  const work = async (): Promise<void> => {
    for (const name of waiting) {
      compared.push(await compareOne(hub, name));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return compared.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function compareOne(hub: Hub, name: string): Promise<Compared> {
  const entry = findModel(name);
  if (entry === undefined) {
    throw new Error(`the catalogue has no ${name}`);
  }
  try {
    const commit = await commitOf(hub, entry.repository, "main");
    return { name, commit, comparison: await comparePublished(hub, entry, commit) };
  } catch (error) {
    if (!(error instanceof HubError)) {
      throw error;
    }
    return { name, commit: undefined, comparison: { unknown: error.message } };
  }
}

function report(compared: readonly Compared[]): string {
  const lines = compared.flatMap(({ name, comparison }) => {
    const entry = findModel(name);
    return entry === undefined ? [] : differenceLines(entry, comparison);
  });
  const known = compared.filter(({ comparison }) => "differences" in comparison);
  const different = known.filter(({ comparison }) => isDifferent(comparison));
  const counts = `${known.length} of ${compared.length} models compared, ${different.length} differ`;
  return `${[...lines, counts].join("\n")}\n`;
}

function json(compared: readonly Compared[]): string {
  const models = compared.map(({ name, commit, comparison }) => ({ name, commit: commit ?? null, ...comparison }));
  return `${JSON.stringify({ models }, undefined, 2)}\n`;
}
