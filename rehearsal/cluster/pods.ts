import type { ApiClient } from "./api-client";

interface Pod {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: { readonly nodeName?: string };
  readonly status: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
  };
}

/** `<namespace>/<name>: <reason>` of pods neither ready nor ended, with the scheduler's reason. */
export async function waitingPods(client: ApiClient): Promise<string[]> {
  const pods = (await client.list("v1", "Pod")) as unknown as readonly Pod[];
  return pods
    .filter(({ status }) => status.phase !== "Succeeded" && !holds(status, "Ready"))
    .map(({ metadata, status }) => {
      const reason = status.conditions?.find(({ message }) => message !== undefined)?.message ?? status.phase;
      return `${metadata.namespace}/${metadata.name}: ${reason}`;
    });
}

function holds({ conditions = [] }: Pod["status"], type: string): boolean {
  return conditions.some((condition) => condition.type === type && condition.status === "True");
}
