/** `npm run pin -- --catalogue`: catalogue models against their repositories' current files. */
import { parseArgs } from "node:util";
import { findModel, type ModelEntry, modelNames } from "../../catalog/models";
import { concurrently } from "../../stacks/checkpoint/concurrently";
import { type CommandIo, EXIT, lineOf } from "../io";
import { commitOf, HUB_CONCURRENCY, type Hub, HubError, hubOf } from "./hub";
import { type Compared, comparePublished, differenceLines, isDifferent } from "./published";

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
    return isKnown && !compared.some(isDifferent) ? EXIT.ok : EXIT.refused;
  } catch (error) {
    io.err(`${lineOf(error)}\nnpm run pin -- --catalogue takes no environment, and no option but --json\n`);
    return error instanceof HubError ? EXIT.refused : EXIT.badInput;
  }
}

interface ComparedNow extends Compared {
  /** Undefined without the hub's answer. */
  readonly commit: string | undefined;
}

async function compareAll(hub: Hub): Promise<ComparedNow[]> {
  const entries = modelNames().flatMap((name) => findModel(name) ?? []);
  return concurrently(HUB_CONCURRENCY, entries, (entry) => compareOne(hub, entry));
}

async function compareOne(hub: Hub, entry: ModelEntry): Promise<ComparedNow> {
  try {
    const commit = await commitOf(hub, entry.repository, "main");
    return { entry, commit, comparison: await comparePublished(hub, entry, commit) };
  } catch (error) {
    if (!(error instanceof HubError)) {
      throw error;
    }
    return { entry, commit: undefined, comparison: { unknown: error.message } };
  }
}

function report(compared: readonly ComparedNow[]): string {
  const lines = compared.flatMap(differenceLines);
  const known = compared.filter(({ comparison }) => "differences" in comparison);
  const different = known.filter(isDifferent);
  const counts = `${known.length} of ${compared.length} models compared, ${different.length} differ`;
  return `${[...lines, counts].join("\n")}\n`;
}

function json(compared: readonly ComparedNow[]): string {
  const models = compared.map(({ entry: { name }, commit = null, comparison }) => ({ name, commit, ...comparison }));
  return `${JSON.stringify({ models }, undefined, 2)}\n`;
}
