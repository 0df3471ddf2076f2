/**
 * Certifies the nodes of a pool: `node certify.ts first|later` (docs/fabric-gate.md).
 *
 * `first`, which a deployment waits for, waits for new nodes and fails if fewer than the pool's
 * minimum are certified. If nodes register without the taint, it tests all free ones. `later` tests
 * new nodes.
 *
 * Exit status of `first`: 0 if enough nodes are certified, else 1; of `later`: 1 if a node failed,
 * else 0; 143: terminated. The last line counts nodes by state.
 *
 * Runs unmodified in the Job's container: Node 24 strips the types.
 */
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { pause } from "./api.ts";
import { Lease } from "./lease.ts";
import { type PoolNode, poolNodes, writeDown } from "./nodes.ts";
import { type Fate, runRounds } from "./rounds.ts";
import type { GateSettings } from "./settings.ts";
import { runTrial, sweep, type Trials, trialJob } from "./trials.ts";

const FAILED: readonly Fate["state"][] = ["refused", "suspect"];

async function main(mode: string | undefined, settings: GateSettings): Promise<number> {
  if (mode !== "first" && mode !== "later") {
    throw new Error(`certify.ts ${mode}: say "first" or "later"`);
  }
  const gate: Trials = { ...settings, job: await trialJob(settings) };
  const lease = new Lease(
    gate.namespace,
    `fabric-gate-${gate.pool}`,
    `${hostname()}-${process.pid}`,
    gate.seconds.lease,
  );
  const until = Date.now() + gate.seconds.ready * 1000;
  const lost = () => {
    console.log("another certifier took over");
    process.exit(1);
  };
  for (let holder = await lease.acquire(lost); holder !== undefined; holder = await lease.acquire(lost)) {
    if (mode === "later" || Date.now() > until) {
      console.log(`fabric gate of ${gate.pool}: ${holder} is at work`);
      return mode === "later" ? 0 : 1;
    }
    await pause(gate.seconds.poll * 1000);
  }
  const leave = async () => {
    await sweep(gate);
    await lease.release();
  };
  process.once("SIGTERM", () => {
    console.log("stopped: deletes its trials");
    leave().then(
      () => process.exit(143),
      () => process.exit(143),
    );
  });
  try {
    await sweep(gate);
    return mode === "first" ? await certifyFirst(gate, until) : await certifyLater(gate);
  } finally {
    await leave();
  }
}

async function certifyFirst(gate: Trials, until: number): Promise<number> {
  const fates = new Map<string, Fate>();
  for (let said = ""; ; await pause(gate.seconds.poll * 1000)) {
    const nodes = await poolNodes(gate);
    const usable = nodes.filter(({ unusable }) => unusable === undefined);
    const isFailed = ({ name }: PoolNode) => FAILED.includes(fates.get(name)?.state ?? "waiting");
    const good = usable.filter((node) => isCertified(node) && !isFailed(node));
    const untaint = usable.every(({ uncertified }) => !uncertified);
    const open = usable.filter(
      (node) => !isFailed(node) && (untaint ? !isRecorded(node) && !fates.has(node.name) : node.uncertified),
    );
    // Nodes without a partner keep their taint for later tests. A failed node without the taint
    // would accept models.
    if (good.length >= gate.minNodes && open.every(({ name }) => fates.has(name))) {
      tell(gate, nodes, fates);
      return untaint && nodes.some(isFailed) ? 1 : 0;
    }
    const hopeless = nodes.length - nodes.filter(isFailed).length < gate.minNodes && nodes.length >= gate.minNodes;
    if (hopeless || Date.now() > until) {
      tell(gate, nodes, fates);
      return 1;
    }
    // At least two: a single node has no partner, and another may follow.
    if (usable.length >= gate.minNodes && open.length > 0) {
      for (const [name, fate] of await certify(open, good, gate)) {
        fates.set(name, fate);
      }
      continue;
    }
    const state = waitingFor(gate, nodes);
    if (state !== said) {
      console.log(state);
      said = state;
    }
  }
}

async function certifyLater(gate: Trials): Promise<number> {
  const nodes = await poolNodes(gate);
  const usable = nodes.filter(({ unusable }) => unusable === undefined);
  const open = usable.filter((node) => node.uncertified && isDue(node, usable, gate));
  const good = usable.filter(isCertified);
  const fates = open.length === 0 ? new Map<string, Fate>() : await certify(open, good, gate);
  tell(gate, await poolNodes(gate), fates);
  return [...fates.values()].some(({ state }) => FAILED.includes(state)) ? 1 : 0;
}

async function certify(open: readonly PoolNode[], good: readonly PoolNode[], gate: Trials) {
  const names = open.map(({ name }) => name);
  const fates = await runRounds({
    uncertified: names,
    certified: good.map(({ name }) => name).filter((name) => !names.includes(name)),
    trial: (one, other) => runTrial(one, other, gate),
    certify: (name, fate) => writeDown(name, fate, gate),
  });
  for (const [name, fate] of fates) {
    if (FAILED.includes(fate.state)) {
      await writeDown(name, fate, gate);
    }
  }
  return fates;
}

/** Without the taint a node is certified, or needs no certificate. */
function isCertified({ uncertified }: PoolNode): boolean {
  return !uncertified;
}

function isRecorded({ record }: PoolNode): boolean {
  return record?.state === "certified";
}

/** Whether to test a node now: failed nodes wait. A suspect node waits for a third one. */
function isDue({ name, record }: PoolNode, usable: readonly PoolNode[], { seconds }: GateSettings): boolean {
  if (!record || !FAILED.includes(record.state)) {
    return true;
  }
  const third = usable.some(
    (node) => node.name !== name && node.name !== record.with && node.record?.state !== "refused",
  );
  const isOld = Date.now() - Date.parse(record.at) > seconds.retry * 1000;
  return isOld || (record.state === "suspect" && third);
}

function waitingFor({ pool, minNodes }: GateSettings, nodes: readonly PoolNode[]): string {
  const unusable = nodes.flatMap(({ name, unusable: why }) => (why === undefined ? [] : [`${name}: ${why}`]));
  const each = unusable.length > 0 ? `; ${unusable.join("; ")}` : "";
  return `waits for ${minNodes} nodes of ${pool}: ${nodes.length} are there${each}`;
}

/** Reports each node; the last line counts. */
function tell({ pool, taint }: GateSettings, nodes: readonly PoolNode[], fates: ReadonlyMap<string, Fate>): void {
  for (const { name, uncertified, unusable, record } of nodes) {
    const fate = fates.get(name);
    const last = record && `${record.state} at ${record.at}: ${record.reason}`;
    const told = fate ? `${fate.state}: ${fate.reason}` : (unusable ?? last ?? "has no trial behind it");
    console.log(`${name}: ${uncertified ? `has the taint ${taint}; ` : ""}${told}`);
  }
  const failed = [...fates.values()].filter(({ state }) => FAILED.includes(state)).length;
  const waiting = nodes.filter(({ uncertified }) => uncertified).length;
  const passed = [...fates.values()].filter(({ state }) => state === "certified").length;
  console.log(
    `fabric gate of ${pool}: ${nodes.length} nodes, ${passed} certified now, ${failed} failed now, ${waiting} without certificate`,
  );
}

const [mode, file = "/gate/gate.json"] = process.argv.slice(2);
main(mode, JSON.parse(readFileSync(file, "utf8")) as GateSettings).then(
  (status) => process.exit(status),
  (error: unknown) => {
    console.error(`failed: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  },
);
