import type { PullProgress } from "../backends/backend";
import { EngineUnavailable, NoRoom, WorkerStopped } from "../errors";
import { formatBytes } from "./bytes";
import { type FleetContext, inspect, requireRunning, type Worker } from "./context";
import { diskRoom, leftoverBytes } from "./inventory";
import { leaversFor, shortageOf } from "./placement";
import { freeMemory } from "./uses";

/** How often a model is pulled in a row of which others have taken parts away meanwhile. */
const MOST_ROUNDS = 3;

/**
 * Whether the worker has all of a model. An engine lists what it has a manifest of: where a model was deleted, or had to
 * leave, while another was pulled that shares parts with it, the other one is listed without these.
 */
export async function isWhole({ backend }: Worker, model: string, signal: AbortSignal): Promise<boolean> {
  const listed = (await backend.models(signal)).some(({ name }) => name === model);
  return listed && (await backend.has(model, signal));
}

/**
 * Brings a model to the worker's disk. Its size becomes known while it comes: whenever more of it is known, room is
 * made, and the pull ends when there is none. Its record stays: who asked for the model ends it when the rest is done.
 */
export async function pullModel(
  context: FleetContext,
  worker: Worker,
  /** As the registry spells it. */
  wanted: string,
  onProgress: (progress: PullProgress) => void,
  signal: AbortSignal,
): Promise<void> {
  const { state } = context;
  const { name } = worker.spec;
  const model = worker.backend.nameOf(wanted);
  const before = (await state.pulls(name)).get(model) ?? { totalBytes: 0, completedBytes: 0 };
  const pull = new RunningPull(context, worker, wanted, before);
  // First the record, then the question: a stop asks for pulls after it has changed the phase.
  await state.setPull(name, model, { ...before, running: true });
  try {
    requireRunning(worker, await state.worker(name));
    await pull.run(onProgress, signal);
  } catch (error) {
    // The error that ended the pull is the one to tell, whatever else goes wrong now.
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
 * Ends what a pull that did not finish has left on the worker. There is a record only while a model that was not there
 * is being pulled, so a model that the engine finished in the last moment goes, and one that was there stays. This ends
 * with the caller's `signal`, not with that of the pull.
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
    // What is left as parts stays on the disk: Ollama has no call that removes it.
    if (listed || record.completedBytes === 0) {
      await state.endPull(name, model);
    } else {
      await state.setPull(name, model, { ...record, running: false });
    }
  });
}

class RunningPull {
  /** Bytes that are known to come, and those that there is room for. */
  private wantedBytes = 0;
  private grantedBytes = 0;
  /** While room is made. */
  private granting: Promise<void> | undefined;
  private readonly model: string;
  private beating: Promise<void> = Promise.resolve();
  private readonly end = new AbortController();

  constructor(
    private readonly context: FleetContext,
    private readonly worker: Worker,
    /** As the registry spells it. */
    private readonly wanted: string,
    /** At first what an earlier pull left. */
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
            `${this.model} was pulled ${round} times, and each time parts of it were deleted meanwhile`,
          );
        }
      }
    } finally {
      clearInterval(beat);
      await Promise.all([this.granting, this.beating]);
    }
  }

  /** Remembers the bytes that stay on the disk. */
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
    // A small model may be there before the room for it.
    await this.granting;
    signal.throwIfAborted();
  }

  /**
   * Who deletes a model has the worker's lease. So what was deleted before this question is seen to be missing, and from now
   * on the engine knows that this model needs its parts, too.
   */
  private async isThere(signal: AbortSignal): Promise<boolean> {
    const { state, times } = this.context;
    return state.withLease(this.worker.spec.name, times.leaseSeconds, signal, (lease) =>
      this.worker.backend.has(this.model, lease.signal),
    );
  }

  /** Makes room until there is enough, one step at a time, however often more is told of. */
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
      // Seen by other pulls before this one's bytes are on the disk.
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
      // The state is away: the pull goes on, and the next beat may reach it.
    }
  }
}
