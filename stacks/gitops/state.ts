/** A stack's state (`pulumi stack export`) between Pulumi and Argo CD. Pure. */
import { z } from "zod";
import { ownerOf } from "../../kubernetes/owner";

const resource = z.looseObject({
  urn: z.string(),
  id: z.string().optional(),
  custom: z.boolean(),
  provider: z.string().optional(),
  parent: z.string().optional(),
  deletedWith: z.string().optional(),
  dependencies: z.array(z.string()).nullish(),
  propertyDependencies: z.record(z.string(), z.array(z.string()).nullable()).nullish(),
});

/** `pulumi stack export`, format version 3. */
export const stackState = z.looseObject({
  version: z.literal(3),
  deployment: z.looseObject({
    resources: z.array(resource),
    pending_operations: z.array(z.unknown()).nullish(),
  }),
});

export type StackState = z.output<typeof stackState>;
type StateResource = z.output<typeof resource>;

export interface MovedState {
  readonly state: StackState;
  /** URNs. */
  readonly moved: readonly string[];
}

/** Without the rendered folder's objects: Pulumi forgets them without deleting any. */
export function released(state: StackState): MovedState {
  const { resources } = state.deployment;
  const moved = resources.filter(isFolders).map(({ urn }) => urn);
  const left = new Set(moved);
  const kept = resources.filter((each) => !isFolders(each)).map((each) => dependingOn(each, (urn) => !left.has(urn)));
  return { state: withResources(state, kept), moved };
}

/**
 * With the rendered folder's objects from an earlier state: Pulumi knows them again.
 *
 * @param before a state from before they were released.
 */
export function takenBack(state: StackState, before: StackState): MovedState {
  const { resources } = state.deployment;
  const present = new Set(resources.map(({ urn }) => urn));
  const providers = new Map(
    resources.flatMap(({ urn, id }) => (id === undefined ? [] : [[urn, `${urn}::${id}`] as const])),
  );
  const back = before.deployment.resources.filter((each) => isFolders(each) && !present.has(each.urn));
  const known = new Set([...present, ...back.map(({ urn }) => urn)]);
  const restored = back.map((each) => {
    const provider = each.provider === undefined ? undefined : providers.get(providerUrn(each.provider));
    return dependingOn({ ...each, ...(provider !== undefined && { provider }) }, (urn) => known.has(urn));
  });
  return { state: withResources(state, [...resources, ...restored]), moved: back.map(({ urn }) => urn) };
}

function isFolders({ urn, custom }: StateResource): boolean {
  return custom && ownerOf({ urn }) === "folder";
}

/** A provider reference is its URN, `::` and its id. */
function providerUrn(reference: string): string {
  return reference.slice(0, reference.lastIndexOf("::"));
}

/** Keeps existing dependencies only. */
function dependingOn(each: StateResource, isThere: (urn: string) => boolean): StateResource {
  const { dependencies, propertyDependencies } = each;
  return {
    ...each,
    ...(dependencies && { dependencies: dependencies.filter(isThere) }),
    ...(propertyDependencies && {
      propertyDependencies: Object.fromEntries(
        Object.entries(propertyDependencies).map(([property, urns]) => [property, (urns ?? []).filter(isThere)]),
      ),
    }),
  };
}

function withResources(state: StackState, resources: readonly StateResource[]): StackState {
  return { ...state, deployment: { ...state.deployment, resources: [...resources] } };
}
