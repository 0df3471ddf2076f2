import { z } from "zod";
import { ARGO_API } from "../../../components/argo-cd/names";
import type { KubernetesObject } from "../../../kubernetes/object";
import type { ApiClient } from "../../../rehearsal/cluster/api-client";
import { waitFor } from "../../../rehearsal/cluster/wait";

const resource = z.object({
  group: z.string().default(""),
  kind: z.string(),
  namespace: z.string().default(""),
  name: z.string().default(""),
  status: z.string().default(""),
  message: z.string().default(""),
});

const applicationStatus = z.object({
  sync: z.object({ status: z.string(), revision: z.string().default("") }).optional(),
  health: z.object({ status: z.string().default("") }).default({ status: "" }),
  conditions: z.array(z.object({ type: z.string(), message: z.string() })).default([]),
  resources: z.array(resource).default([]),
  operationState: z
    .object({
      phase: z.string(),
      message: z.string().default(""),
      startedAt: z.string(),
      syncResult: z
        .object({ revision: z.string().default(""), resources: z.array(resource).default([]) })
        .default({ revision: "", resources: [] }),
    })
    .optional(),
});

export type ApplicationStatus = z.output<typeof applicationStatus>;

/** An Application as Argo CD's controller sees it. */
export class ObservedApplication {
  private readonly object: KubernetesObject;

  constructor(
    private readonly client: ApiClient,
    namespace: string,
    name: string,
  ) {
    this.object = { apiVersion: ARGO_API, kind: "Application", metadata: { namespace, name } };
  }

  /** @throws Error where there is none. */
  async status(): Promise<ApplicationStatus> {
    const found = await this.client.get(this.object);
    if (found === undefined) {
      throw new Error(`there is no Application ${this.object.metadata.name}`);
    }
    return applicationStatus.parse(found.status ?? {});
  }

  exists(): Promise<boolean> {
    return this.client.get(this.object).then((found) => found !== undefined);
  }

  /** Has the controller look at the repository now: by itself it does every two minutes. */
  async refresh(how: "normal" | "hard" = "normal"): Promise<void> {
    await this.client.patch(this.object, { metadata: { annotations: { "argocd.argoproj.io/refresh": how } } });
  }

  patch(change: object): Promise<KubernetesObject> {
    return this.client.patch(this.object, change);
  }

  delete(): Promise<void> {
    return this.client.delete(this.object);
  }

  /**
   * Waits until its status is as wanted.
   *
   * @throws Error with what it says, after `seconds`.
   */
  async until(what: string, isSo: (status: ApplicationStatus) => boolean, seconds = 300): Promise<ApplicationStatus> {
    let last: ApplicationStatus | undefined;
    try {
      return await waitFor(
        what,
        async () => {
          last = await this.status();
          return isSo(last) ? last : undefined;
        },
        seconds,
      );
    } catch (error) {
      throw new Error(`${error instanceof Error ? error.message : String(error)}; ${describe(last)}`);
    }
  }

  /** Waits until a commit is applied, and everything is healthy. */
  async healthyAt(revision: string, seconds = 600): Promise<ApplicationStatus> {
    await this.refresh();
    return this.until(
      `${this.object.metadata.name} to be Synced and Healthy at ${revision.slice(0, 8)}`,
      ({ sync, health, operationState: state }) =>
        sync?.status === "Synced" &&
        sync.revision === revision &&
        health.status === "Healthy" &&
        // A commit that changes no object needs no sync.
        state?.phase === "Succeeded",
      seconds,
    );
  }
}

function describe(status: ApplicationStatus | undefined): string {
  if (status === undefined) {
    return "it has no status";
  }
  const { sync, health, conditions, operationState: state, resources } = status;
  const open = (state?.syncResult.resources ?? []).filter(
    (each) => each.status !== "Synced" || /wait|fail/i.test(each.message),
  );
  return JSON.stringify({
    sync,
    health,
    conditions,
    operation: { phase: state?.phase, message: state?.message },
    open: open.map(({ kind, name, status: own, message }) => `${kind} ${name} ${own}: ${message}`),
    outOfSync: resources.filter((each) => each.status !== "Synced").map(({ kind, name }) => `${kind} ${name}`),
  });
}
