/** Removes what the configuration refuses. */
import type { ModelDraft } from "./draft";
import type { Settlement } from "./environment";
import { removeFromPod } from "./pod-draft";

/** @returns whether anything was removed. */
export function leaveOut({ models }: Settlement, keys: readonly (string | number)[], why: string): boolean {
  const [section, key, part, name, item] = keys;
  const model = models.find((each) => each.key === key)?.draft;
  if (section !== "models" || model === undefined || typeof part !== "string") {
    return false;
  }
  if (part === "pod") {
    return leaveOutOfPod(model, String(name), item, why);
  }
  if (part === "adapters" && name === undefined) {
    return leaveOutAdapters(model, why);
  }
  const holder = { args: model.args, env: model.env, adapters: model.adapters, [model.engine]: model.block }[part];
  const [target, field] = holder === undefined ? [model.settings, part] : [holder, String(name)];
  if (!Object.hasOwn(target, field)) {
    return false;
  }
  delete target[field];
  const ours = name === undefined ? part : `${part}.${name}`;
  model.ledger.retract(`models.*.${ours}`, model.at, `${ours}: ${why}`, model.places.get(ours));
  return true;
}

function leaveOutOfPod({ pod, ledger, places, at }: ModelDraft, part: string, item: unknown, why: string): boolean {
  const name = typeof item === "string" || typeof item === "number" ? removeFromPod(pod, part, item) : undefined;
  if (name === undefined) {
    return false;
  }
  ledger.retract(`models.*.pod.${part}`, at, why, places.get(`pod.${part}.${name}`));
  return true;
}

/** If the engine or the weights' source has no adapters. */
function leaveOutAdapters({ adapters, ledger, at }: ModelDraft, why: string): boolean {
  const names = Object.keys(adapters);
  for (const name of names) {
    delete adapters[name];
  }
  ledger.retract("models.*.adapters", at, why);
  return names.length > 0;
}
