/** When a model that nobody uses leaves memory. Pure. */
import type { Backend } from "../backends/backend";
import type { HeldModel } from "./inventory";

/** Seconds without use after which a model leaves memory. */
export type IdleTime = number | "never";

export interface IdleRules {
  /** Of models that `models` does not name. */
  readonly seconds: IdleTime;
  /** By names in the spelling of `parseModelName`. */
  readonly models: Readonly<Record<string, IdleTime>>;
}

/** Why a loaded model stays: the first that holds. */
export const STAYS = ["pinned", "never", "not_supported", "in_use"] as const;
export type Stays = (typeof STAYS)[number];

export type Leave = { readonly unloadsAt: Date } | { readonly stays: Stays };

const NO_RULES: IdleRules = { seconds: "never", models: {} };

/** The time of each model in the engine's spelling. */
export function idleTimes(
  { seconds, models }: IdleRules = NO_RULES,
  backend: Pick<Backend, "nameOf">,
): (model: string) => IdleTime {
  const times = new Map(Object.entries(models).map(([name, time]) => [backend.nameOf(name), time]));
  return (model) => times.get(model) ?? seconds;
}

/** The shortest time after which any model leaves; undefined when none ever does. */
export function shortestIdleSeconds({ seconds, models }: IdleRules): number | undefined {
  const times = [seconds, ...Object.values(models)].filter((time) => time !== "never");
  return times.length === 0 ? undefined : Math.min(...times);
}

/** When a loaded model leaves memory if nobody uses it until then, or why it stays. */
export function leaveOf({ pinned, canUnload, inUse, lastUsed, expiresAt }: HeldModel, idleTime: IdleTime): Leave {
  // What the engine does by itself comes first, whatever is decided here.
  const own = expiresAt !== undefined && expiresAt > lastUsed ? expiresAt : undefined;
  const stays = reasonToStay(pinned, idleTime, canUnload !== false, inUse === true);
  if (stays === "in_use" || (stays !== undefined && own === undefined)) {
    return { stays };
  }
  const ours = stays !== undefined || idleTime === "never" ? undefined : after(lastUsed, idleTime);
  const times = [own, ours].flatMap((time) => time?.getTime() ?? []);
  return { unloadsAt: new Date(Math.min(...times)) };
}

/** Whether a loaded model has not been used for its time, as far as its listing tells. */
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
