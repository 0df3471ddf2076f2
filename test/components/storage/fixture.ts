import { ModelStore, type ModelStoreArgs } from "../../../components/storage/model-store";
import { storedModels } from "../../../planner/storage";
import type { StoragePlan } from "../../../planner/storage-plan";
import { type Deployment, deploy } from "../../harness/deploy";
import { modelPlan, ollamaPlan, storagePlan } from "../../harness/plans";

export type StoreOverrides = Partial<Omit<ModelStoreArgs, "plan">> & { readonly plan?: Partial<StoragePlan> };

/** A store with defaults that a test overrides where it looks. Call it inside `deploy`. */
export function modelStore({ plan, ...overrides }: StoreOverrides = {}): ModelStore {
  return new ModelStore("storage", {
    plan: { ...storagePlan(overrides.models ?? []), ...plan },
    models: [],
    cluster: { storageClass: "encrypted", volumesGrow: true },
    certManager: { namespace: "cert-manager", ready: [] },
    protect: true,
    registryGbps: 1,
    ...overrides,
  });
}

/** One that a Job copies, and one that does not pass through the store. */
export const models = [modelPlan({ domain: "legal" }), ollamaPlan()];

export function deployed(overrides: StoreOverrides = {}): Promise<Deployment> {
  return deploy(() => void grantedStore(overrides));
}

/** A store whose models are served, each in its namespace. */
export function grantedStore(overrides: StoreOverrides = {}): void {
  const args = { models, ...overrides };
  const store = modelStore(args);
  for (const model of storedModels(args.models)) {
    store.grant(`weights-${model.name}`, model, `model-${model.name}`, {});
  }
}
