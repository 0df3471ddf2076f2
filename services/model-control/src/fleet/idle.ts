/** When idle models are unloaded. Pure. */
import type { Backend } from "../backends/backend";
import type { HeldModel } from "./inventory";

/** Idle seconds until a model is unloaded. */
export type IdleTime = number | "never";

export interface IdleRules {
  /** For models not in `models`. */
  readonly seconds: IdleTime;
  /** By names spelled as by `parseModelName`. */
  readonly models: Readonly<Record<string, IdleTime>>;
}

/** Why a loaded model stays, in order of precedence. */
export const STAYS = ["pinned", "never", "not_supported", "in_use"] as const;
export type Stays = (typeof STAYS)[number];

export type Leave = { readonly unloadsAt: Date } | { readonly stays: Stays };

const NO_RULES: IdleRules = { seconds: "never", models: {} };

/** Idle time of a model in the engine's spelling. */
export function idleTimes(
  { seconds, models }: IdleRules = NO_RULES,
  backend: Pick<Backend, "nameOf">,
): (model: string) => IdleTime {
  const times = new Map(Object.entries(models).map(([name, time]) => [backend.nameOf(name), time]));
  return (model) => times.get(model) ?? seconds;
}

/** Shortest idle time; undefined if all are `never`. */
export function shortestIdleSeconds({ seconds, models }: IdleRules): number | undefined {
  const times = [seconds, ...Object.values(models)].filter((time) => time !== "never");
  return times.length === 0 ? undefined : Math.min(...times);
}

/** When a loaded model is unloaded if idle, or why it stays. */
export function leaveOf({ pinned, canUnload, inUse, lastUsed, expiresAt }: HeldModel, idleTime: IdleTime): Leave {
  // The engine's own expiry applies first.
  const own = expiresAt !== undefined && expiresAt > lastUsed ? expiresAt : undefined;
  const stays = reasonToStay(pinned, idleTime, canUnload !== false, inUse === true);
  if (stays === "in_use" || (stays !== undefined && own === undefined)) {
    return { stays };
  }
  const ours = stays !== undefined || idleTime === "never" ? undefined : after(lastUsed, idleTime);
  const times = [own, ours].flatMap((time) => time?.getTime() ?? []);
  return { unloadsAt: new Date(Math.min(...times)) };
}

/** Whether a loaded model exceeded its idle time, by its listing. */
export function isDue(model: HeldModel, idleTime: IdleTime, now: Date): boolean {
  const { pinned, canUnload, inUse, lastUsed } = model;
  if (!model.loaded || idleTime === "never") {
    return false;
  }
  const stays = reasonToStay(pinned, idleTime, canUnload !== false, inUse === true);
  return stays === undefined && after(lastUsed, idleTime) <= now;
}

function reasonToStay(pinned: boolean, idleTime: IdleTime, canUnload: boolean, inUse: boolean): Stays | undefined {
  const holds: Readonly<Record<Stays, boolean>> = {
    pinned,
    never: idleTime === "never",
    not_supported: !canUnload,
    in_use: inUse,
  };
  return STAYS.find((reason) => holds[reason]);
}

function after(time: Date, seconds: number): Date {
  return new Date(time.getTime() + seconds * 1000);
}
