import * as pulumi from "@pulumi/pulumi";
import { ownerOf } from "../../kubernetes/owner";
import { counted } from "../../names/counted";

/** The state holds objects that the rendered folder has from now on: `up` would delete them. */
export class StillOwnedError extends Error {
  constructor(stack: string, urns: readonly string[]) {
    const names = urns.slice(0, 3).map((urn) => urn.split("::").slice(2).join(" "));
    super(
      `gitops: the state of stack ${stack} still holds ${counted(urns.length, "object")} of the rendered folder, which \`up\` would delete: ${names.join(", ")}${urns.length > 3 ? ", …" : ""}.\nFix: release them from the state first (docs/gitops.md, "Move a running platform to Argo CD"): npm run gitops -- release`,
    );
  }
}

/** What a stack's state has: outputs of the stack, and of each resource by URN. */
export interface StateReader {
  /** Empty before the first deployment has ended. */
  stackOutputs(stack: string): Promise<Readonly<Record<string, unknown>>>;
  resourceOutputs(stack: string): Promise<Readonly<Record<string, unknown>>>;
}

/**
 * Refuses a deployment that would delete what Argo CD is to take over.
 *
 * A state without outputs is not asked: the engine has no snapshot of a new stack, and a first deployment that did not end serves nobody.
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

/** Asks the engine (pulumi, pkg/resource/deploy/builtins.go), which names the stack differently in each. */
export const engineState: StateReader = {
  stackOutputs: (name) => outputs("pulumi:pulumi:readStackOutputs", { name }),
  resourceOutputs: (stackName) => outputs("pulumi:pulumi:readStackResourceOutputs", { stackName }),
};

async function outputs(token: string, args: pulumi.Inputs): Promise<Readonly<Record<string, unknown>>> {
  const answer: { readonly outputs?: Readonly<Record<string, unknown>> } = await pulumi.runtime.invoke(token, args);
  return answer.outputs ?? {};
}

/** The stack that is deployed, as the engine takes its name. */
export function thisStack(): string {
  return `${pulumi.getOrganization()}/${pulumi.getProject()}/${pulumi.getStack()}`;
}
