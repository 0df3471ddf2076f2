import type { RecordedResource } from "../../../offline/run";
import { CreationOrder } from "../../harness/creation-order";
import { type RecordedObject, recordedObjects } from "../../harness/recorded-objects";
import { podSpecs } from "../../render/argo-cd/facts";

/** Two resources, of which the first must be finished before the second begins. */
export type Pair = readonly [before: RecordedResource, after: RecordedResource];

/** A row of the table: what must be there before what. */
export interface OrderRule {
  /** `<what comes later> after <what comes first>: <what goes wrong otherwise>`. */
  readonly rule: string;
  /** All pairs of a program. */
  readonly pairs: (program: OrderedProgram) => readonly Pair[];
  /** Argo CD: the two may share a wave, where each is healthy only with the other. @default false */
  readonly together?: true;
}

/** A recorded program, as the rules look at it. */
export class OrderedProgram {
  readonly order: CreationOrder;
  readonly objects: readonly RecordedObject[];

  constructor(readonly resources: readonly RecordedResource[]) {
    this.order = new CreationOrder(resources);
    this.objects = recordedObjects(resources);
  }

  ofKind(...kinds: readonly string[]): RecordedObject[] {
    return this.objects.filter(({ kind }) => kinds.includes(kind));
  }

  ofType(...types: readonly string[]): RecordedResource[] {
    return this.resources.filter(({ type }) => types.includes(type));
  }

  /** Of these types, what a resource names itself: it takes their outputs, or depends on them. */
  named({ waitsFor }: RecordedResource, ...types: readonly string[]): RecordedResource[] {
    const named = new Set(waitsFor);
    return this.ofType(...types).filter(({ urn }) => named.has(urn));
  }

  /** What has pods after it: workloads, charts, and Gateways, whose controllers start proxies. */
  get runners(): RecordedObject[] {
    return this.objects.filter(
      ({ kind, inputs }) => kind === "Release" || kind === "Gateway" || podSpecs(inputs).length > 0,
    );
  }
}

/** Pairs of objects: for each of the later ones all that must be there before. */
export function pairsOf(
  later: readonly RecordedObject[],
  first: (object: RecordedObject) => readonly RecordedObject[],
): Pair[] {
  return later.flatMap((object) => first(object).map((before) => [before.resource, object.resource] as const));
}
