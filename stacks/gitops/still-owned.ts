import * as pulumi from "@pulumi/pulumi";
import { ownerOf } from "../../kubernetes/owner";
import { counted } from "../../names/counted";

/** The state holds objects of the rendered folder, which `up` would delete. */
export class StillOwnedError extends Error {
  constructor(stack: string, urns: readonly string[]) {
    const names = urns.slice(0, 3).map((urn) => urn.split("::").slice(2).join(" "));
    super(
      `gitops: the state of stack ${stack} still holds ${counted(urns.length, "object")} of the rendered folder, which \`up\` would delete: ${names.join(", ")}${urns.length > 3 ? ", …" : ""}.\nFix: release them from the state first (docs/gitops.md, "Move a running platform to Argo CD"): npm run gitops -- release`,
    );
  }
}

/** Outputs of a stack, and of resources by URN. */
export interface StateReader {
  /** Empty before the first deployment has ended. */
  stackOutputs(stack: string): Promise<Readonly<Record<string, unknown>>>;
  resourceOutputs(stack: string): Promise<Readonly<Record<string, unknown>>>;
}

/**
 * Refuses a deployment that would delete what Argo CD is to take over.
 *
 * States without outputs are skipped: new stacks have no snapshot, and an unfinished first
 * deployment serves no users.
 *
 * @throws StillOwnedError
 */
export async function assertReleased(stack: string, state: StateReader): Promise<void> {
  if (Object.keys(await state.stackOutputs(stack)).length === 0) {
    return;
  }
  const urns = Object.keys(await state.resourceOutputs(stack)).filter((urn) => ownerOf({ urn }) === "folder");
  if (urns.length > 0) {
    throw new StillOwnedError(stack, urns);
  }
}

/** Engine calls (pulumi, pkg/resource/deploy/builtins.go), each with its form of stack name. */
export const engineState: StateReader = {
  stackOutputs: (name) => outputs("pulumi:pulumi:readStackOutputs", { name }),
  resourceOutputs: (stackName) => outputs("pulumi:pulumi:readStackResourceOutputs", { stackName }),
};

async function outputs(token: string, args: pulumi.Inputs): Promise<Readonly<Record<string, unknown>>> {
  const answer: { readonly outputs?: Readonly<Record<string, unknown>> } = await pulumi.runtime.invoke(token, args);
  return answer.outputs ?? {};
}

/** In the engine's form. */
export function thisStack(): string {
  return `${pulumi.getOrganization()}/${pulumi.getProject()}/${pulumi.getStack()}`;
}
