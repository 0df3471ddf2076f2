/** Disaggregated prefill. */
import type { ModelDraft } from "./draft";

/** Set by the platform, or in conflict with its connector. */
const FLAGS: Readonly<Record<string, string>> = {
  "kv-transfer-config": "vllm.prefillDecode sets the connector for both kinds of pods",
  "kv-offloading-size": "it replaces the connector that vllm.prefillDecode needs",
};

/** Removes settings that such models cannot have. */
export function splitPods(model: ModelDraft, prefill: number, decode: number): void {
  const { ledger, args, adapters, places, at } = model;
  model.block.prefillDecode = { prefill, decode };
  if (model.replicas.max !== undefined) {
    ledger.retract(
      "models.*.replicas.max",
      at,
      "vllm.prefillDecode has a number of pods of each kind, which does not change",
    );
  }
  model.replicas = { min: 1 };
  for (const [flag, why] of Object.entries(FLAGS)) {
    if (Object.hasOwn(args, flag)) {
      delete args[flag];
      ledger.retract(`models.*.args.${flag}`, at, why, places.get(`args.${flag}`));
    }
  }
  const names = Object.keys(adapters);
  for (const name of names) {
    delete adapters[name];
  }
  if (names.length > 0) {
    ledger.retract("models.*.adapters", at, "adapters are not served with vllm.prefillDecode");
  }
}
