import type { PullProgress } from "../backends/backend";
import { EngineUnavailable, NoRoom, WorkerStopped } from "../errors";
import { formatBytes } from "./bytes";
import { type FleetContext, inspect, requireRunning, type Worker } from "./context";
import { diskRoom, leftoverBytes } from "./inventory";
import { leaversFor, shortageOf } from "./placement";
import { freeMemory } from "./uses";

/** Maximum consecutive pulls when other operations delete shared layers. */
const MOST_ROUNDS = 3;

/**
 * Whether a model is complete: engines list every manifest, but deleting another model may remove
 * shared layers.
 */
export async function isWhole({ backend }: Worker, model: string, signal: AbortSignal): Promise<boolean> {
  const listed = (await backend.models(signal)).some(({ name }) => name === model);
  return listed && (await backend.has(model, signal));
}

/**
 * Pulls a model, making room as its size becomes known; fails without room. The caller ends the
 * record.
 */
export async function pullModel(
  context: FleetContext,
  worker: Worker,
  /** In the registry's spelling. */
  wanted: string,
  onProgress: (progress: PullProgress) => void,
  signal: AbortSignal,
): Promise<void> {
  const { state } = context;
  const { name } = worker.spec;
  const model = worker.backend.nameOf(wanted);
  const before = (await state.pulls(name)).get(model) ?? { totalBytes: 0, completedBytes: 0 };
  const pull = new RunningPull(context, worker, wanted, before);
  // Record before check: a stop changes the phase before it reads the pulls.
  await state.setPull(name, model, { ...before, running: true });
  try {
    requireRunning(worker, await state.worker(name));
    await pull.run(onProgress, signal);
  } catch (error) {
    // Throws the pull's error, even if the cleanup fails.
    await pull.leave().catch(() => undefined);
    if (error instanceof NoRoom) {
      await discardOn(context, worker, model, signal).catch(() => undefined);
    }
    throw error;
  }
  const { models } = await inspect(context, worker, signal);
  const diskBytes = models.find((one) => one.name === model)?.diskBytes;
  const known = (await state.sizes()).get(model);
  if (diskBytes !== undefined && known?.diskBytes !== diskBytes) {
    await state.setSize(model, { ...known, diskBytes });
  }
}

/**
 * Removes an incomplete pull. The record exists only for new models, so a just finished one is
 * deleted, but an existing one stays. Uses the caller's `signal`, not that of the pull.
 */
export async function discardOn(
  context: FleetContext,
  worker: Worker,
  model: string,
  signal: AbortSignal,
): Promise<void> {
  const { state, times, report } = context;
  const { name } = worker.spec;
  const record = (await state.pulls(name)).get(model);
  if (record === undefined) {
    return;
  }
  await state.withLease(name, times.leaseSeconds, signal, async (lease) => {
    const listed = (await worker.backend.models(lease.signal)).some((one) => one.name === model);
    if (listed) {
      await freeMemory(context, worker, model, lease);
      await worker.backend.purge(model, lease.signal);
      report({ type: "purged", worker: name, model });
    }
    // Partial files stay on disk: Ollama has no call to remove them.
    if (listed || record.completedBytes === 0) {
      await state.endPull(name, model);
    } else {
      await state.setPull(name, model, { ...record, running: false });
    }
  });
}

class RunningPull {
  /** Bytes expected, and bytes with room. */
  private wantedBytes = 0;
  private grantedBytes = 0;
  /** Set while room is made. */
  private granting: Promise<void> | undefined;
  private readonly model: string;
  private beating: Promise<void> = Promise.resolve();
  private readonly end = new AbortController();

  constructor(
    private readonly context: FleetContext,
    private readonly worker: Worker,
    /** In the registry's spelling. */
    private readonly wanted: string,
    /** Starts with an earlier pull's leftovers. */
    private progress: PullProgress,
  ) {
    this.model = worker.backend.nameOf(wanted);
  }

  async run(onProgress: (progress: PullProgress) => void, signal: AbortSignal): Promise<void> {
    const both = AbortSignal.any([signal, this.end.signal]);
    const beat = setInterval(() => {
      this.beating = this.beat();
    }, this.context.times.pullBeatSeconds * 1000);
    try {
      for (let round = 1; ; round++) {
        await this.fetch(onProgress, both);
        if (await this.isThere(both)) {
          return;
        }
        if (round === MOST_ROUNDS) {
          throw new EngineUnavailable(
            `${this.model} was pulled ${round} times, and each time other operations deleted layers of it`,
          );
        }
      }
    } finally {
      clearInterval(beat);
      await Promise.all([this.granting, this.beating]);
    }
  }

  /** Records the bytes left on disk. */
  async leave(): Promise<void> {
    const { state } = this.context;
    const { name } = this.worker.spec;
    const { totalBytes, completedBytes } = this.progress;
    if (completedBytes === 0) {
      await state.endPull(name, this.model);
    } else {
      await state.setPull(name, this.model, { running: false, totalBytes, completedBytes });
    }
  }

  private async fetch(onProgress: (progress: PullProgress) => void, signal: AbortSignal): Promise<void> {
    await this.worker.backend.pull(
      this.wanted,
      (progress) => {
        this.progress = progress;
        this.wantedBytes = Math.max(this.wantedBytes, progress.totalBytes);
        this.granting ??= this.grant(signal);
        onProgress(progress);
      },
      signal,
    );
    // A small model may finish before room is made.
    await this.granting;
    signal.throwIfAborted();
  }

  /**
   * Deletions hold the worker's lease: earlier ones are visible here, and later ones see this
   * model's layers.
   */
  private async isThere(signal: AbortSignal): Promise<boolean> {
    const { state, times } = this.context;
    return state.withLease(this.worker.spec.name, times.leaseSeconds, signal, (lease) =>
      this.worker.backend.has(this.model, lease.signal),
    );
  }

  /** Makes room step by step, while the expected size grows. */
  private async grant(signal: AbortSignal): Promise<void> {
    try {
      while (this.grantedBytes < this.wantedBytes) {
        const bytes = this.wantedBytes;
        await this.makeRoom(bytes, signal);
        this.grantedBytes = bytes;
      }
    } catch (error) {
      this.end.abort(error);
    } finally {
      this.granting = undefined;
    }
  }

  private async makeRoom(totalBytes: number, signal: AbortSignal): Promise<void> {
    const { state, times, report } = this.context;
    const { name, diskBytes: budget } = this.worker.spec;
    if (budget === undefined) {
      return;
    }
    signal.throwIfAborted();
    await state.withLease(name, times.leaseSeconds, signal, async (lease) => {
      const inventory = await inspect(this.context, this.worker, lease.signal);
      const room = diskRoom(inventory, budget, this.model);
      const leavers = leaversFor(room, totalBytes);
      if (leavers === undefined) {
        const left = leftoverBytes(inventory);
        const hint =
          left > 0
            ? `; ${formatBytes(left)} are left of pulls that ended early: Ollama frees what is older than an hour when it starts`
            : "";
        throw new NoRoom(`no disk for ${this.model} on ${name}: ${shortageOf(room, totalBytes)}${hint}`);
      }
      // Reserves the bytes for other pulls to see.
      const { completedBytes } = this.progress;
      await state.setPull(name, this.model, { running: true, totalBytes, completedBytes });
      for (const { model, bytes } of leavers) {
        await freeMemory(this.context, this.worker, model, lease);
        await this.worker.backend.purge(model, lease.signal);
        report({ type: "evicted", worker: name, model, from: "disk", bytes, madeRoomFor: this.model });
      }
    });
  }

  private async beat(): Promise<void> {
    const { state } = this.context;
    const { name } = this.worker.spec;
    try {
      const { phase } = await state.worker(name);
      if (phase === "stopped") {
        this.end.abort(new WorkerStopped(`${name} was stopped while ${this.model} was being pulled`));
      } else {
        const { totalBytes, completedBytes } = this.progress;
        await state.setPull(name, this.model, { running: true, totalBytes, completedBytes });
      }
    } catch {
      // State unreachable: the pull continues, and the next heartbeat may succeed.
    }
  }
}
