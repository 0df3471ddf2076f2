import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { argoNames } from "../../components/argo-cd/names";
import { ownerOf } from "../../kubernetes/owner";
import { counted } from "../../names/counted";

/** `up` would delete the platform: its objects, which the folder has from now on, or the Application that applied them. */
export class StillOwnedError extends Error {}

/** What a stack's state has: outputs of the stack, and type and outputs of each resource by URN. */
export interface StateReader {
  /** Empty before the first deployment has ended. */
  stackOutputs(stack: string): Promise<Readonly<Record<string, unknown>>>;
  resourceOutputs(stack: string): Promise<Readonly<Record<string, unknown>>>;
}

/** The Application of the rendered folder, as {@link ownerOf} has types. */
const ROOT = /\$inference:argo-cd:ArgoCd\$kubernetes:argoproj\.io\/v1alpha1:Application::/;

const nameOf = z.object({ outputs: z.object({ metadata: z.object({ name: z.string() }) }) }).transform(
  ({
    outputs: {
      metadata: { name },
    },
  }) => name,
);

/**
 * Refuses a deployment that would delete what Argo CD is to take over, or the root Application, which takes along what it applied.
 *
 * A state without outputs is not asked: the engine has no snapshot of a new stack, and an unfinished first deployment has no users.
 *
 * @param platform name of the platform in Argo CD; undefined without the section `gitops`.
 * @throws StillOwnedError
 */
export async function assertKeepsPlatform(
  stack: string,
  platform: string | undefined,
  state: StateReader,
): Promise<void> {
  const before = await state.stackOutputs(stack);
  if (Object.keys(before).length === 0 || (platform === undefined && before.gitops === undefined)) {
    return;
  }
  const resources = Object.entries(await state.resourceOutputs(stack));
  const folders = resources.map(([urn]) => urn).filter((urn) => ownerOf({ urn }) === "folder");
  const roots = resources.flatMap(([urn, found]) => (ROOT.test(urn) ? [nameOf.parse(found)] : []));
  if (platform === undefined) {
    // What was taken back is Pulumi's again, and the Application may go.
    refuseWithout(stack, folders.length > 0 ? [] : roots);
    return;
  }
  refuseRenamed(stack, platform, roots);
  refuseOwned(stack, folders);
}

function refuseOwned(stack: string, urns: readonly string[]): void {
  if (urns.length > 0) {
    const names = urns.slice(0, 3).map((urn) => urn.split("::").slice(2).join(" "));
    throw new StillOwnedError(
      `gitops: the state of stack ${stack} still holds ${counted(urns.length, "object")} of the rendered folder, which \`up\` would delete: ${names.join(", ")}${urns.length > 3 ? ", …" : ""}.\nFix: release them from the state first (docs/gitops.md, "Move a running platform to Argo CD"): npm run gitops -- release`,
    );
  }
}

function refuseRenamed(stack: string, platform: string, roots: readonly string[]): void {
  const wanted = argoNames(platform).root;
  const others = roots.filter((root) => root !== wanted);
  if (others.length > 0) {
    throw new StillOwnedError(
      `gitops.name: the state of stack ${stack} has the Application ${others.join(", ")}, and ${wanted} would take its place: \`up\` would delete the former, and with it the platform.\nFix: set gitops.name to the name before, as the stack had it when it was made: ${others.map(platformOf).join(", ")}. Render again with it.`,
    );
  }
}

function refuseWithout(stack: string, roots: readonly string[]): void {
  if (roots.length > 0) {
    throw new StillOwnedError(
      `gitops: the state of stack ${stack} has the Application ${roots.join(", ")}, which \`up\` would delete without the section, and with it the platform.\nFix: take the platform back first (docs/gitops.md, "Move back to Pulumi"): npm run gitops -- take-back. To delete it: pulumi destroy`,
    );
  }
}

/** The name that {@link argoNames} was given, as far as that keeps it. */
function platformOf(root: string): string {
  return root.replace(/^inference-/, "").replace(/-root$/, "");
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
