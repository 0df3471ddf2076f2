import { isDeepStrictEqual } from "node:util";
import type * as provider from "@pulumi/pulumi/provider";
import { describeObject, type KubernetesObject } from "../../../../kubernetes/object";
import { messageOf } from "../../../../names/message-of";
import { type ApiClient, ApiError } from "../../../../rehearsal/cluster/api-client";
import { waitingPods } from "../../../../rehearsal/cluster/pods";
import { waitFor } from "../../../../rehearsal/cluster/wait";
import { APPLIER, CREATOR, takeOverFields } from "./field-owners";
import { isReady } from "./readiness";
import { replacementPaths } from "./replacement";
import { holdsSecret, type Properties, plain, secret } from "./secrets";

/** State keeps the inputs beside what the server made of them: differences are judged between inputs. */
const INPUTS = "__inputs";

export interface ResourceOptions {
  /** Take over an object that exists instead of refusing to create it (`PULUMI_K8S_UPSERT_EXISTING_OBJECTS`). */
  readonly upsert: boolean;
  /** Take fields that somebody else set to another value (`PULUMI_K8S_ENABLE_PATCH_FORCE`). */
  readonly force: boolean;
  /** Seconds to wait for readiness or deletion. */
  readonly patience: number;
}

/**
 * Kubernetes objects as the official provider treats them, read in pulumi/pulumi-kubernetes provider/pkg on 2026-11-21
 * (after 4.32; the rule about creating is of 4.29):
 *
 * - an object is created by POST, which fails where one of its name exists; with `upsert` it is applied instead;
 * - it is changed by server-side apply, which fails on a field that somebody else set to another value, unless an annotation of it or `force` says otherwise;
 * - a request that does not reach the API server fails at once; waiting for readiness goes on until it answers again;
 * - an object that was made and does not get ready is recorded with that error, and is mended by the next run.
 *
 * Stricter than the official one: unknown fields are errors, nothing is tried again when a namespace or kind is
 * missing, and the wait is shorter than ten minutes. Left out: readiness of Services, Ingresses and claims.
 */
export class KubernetesResource {
  constructor(
    private readonly client: ApiClient,
    private readonly options: ResourceOptions,
  ) {}

  diff(olds: Properties, news: Properties): provider.DiffResult {
    const before = plain(olds[INPUTS]) as KubernetesObject;
    const after = plain(news) as KubernetesObject;
    const replaces = replacementPaths(before, after);
    return {
      changes: !isDeepStrictEqual(before, after),
      replaces,
      // Two objects of one name cannot be at the same time.
      deleteBeforeReplace: before.metadata.name === after.metadata.name,
    };
  }

  async create(inputs: Properties): Promise<provider.CreateResult> {
    const object = plain(inputs) as KubernetesObject;
    const { namespace, name } = object.metadata;
    const id = namespace === undefined ? name : `${namespace}/${name}`;
    if (this.options.upsert) {
      await this.client.apply(object, { fieldManager: APPLIER, force: this.options.force || isForced(object) });
    } else if (!(await this.client.create(object, { fieldManager: CREATOR }))) {
      throw new Error(`${describeObject(object)} already exists`);
    }
    return { id, outs: await this.settled(id, inputs) };
  }

  async update(id: string, news: Properties): Promise<provider.UpdateResult> {
    const object = plain(news) as KubernetesObject;
    const live = await this.client.get(object);
    if (live === undefined) {
      throw new Error(`${describeObject(object)} not found`);
    }
    await takeOverFields(this.client, live);
    await this.client.apply(object, { fieldManager: APPLIER, force: this.options.force || isForced(object) });
    return { outs: await this.settled(id, news) };
  }

  /** The live object; its inputs are changed only where applying them again would change the object. */
  async read(id: string, props: Properties): Promise<provider.ReadResult> {
    const inputs = props[INPUTS] as Properties;
    const wanted = plain(inputs) as KubernetesObject;
    const live = await this.client.get(wanted);
    if (live === undefined) {
      return { id: "", props: {} };
    }
    const repaired = await this.client.apply(wanted, { dryRun: true, fieldManager: APPLIER });
    const drifted = !isDeepStrictEqual(stable(live), stable(repaired.object));
    const found = drifted ? (project(live, inputs) as Properties) : inputs;
    return { id, props: outputs(live, found), inputs: found };
  }

  async delete(props: Properties): Promise<void> {
    const object = plain(props[INPUTS]) as KubernetesObject;
    await this.client.delete(object);
    const what = `the deletion of ${describeObject(object)}`;
    await waitFor(
      what,
      async () => ((await this.client.get(object)) === undefined ? true : undefined),
      this.options.patience,
    );
  }

  /**
   * What the state keeps of an object once it is ready.
   *
   * @throws InitializationError for one that does not get ready.
   */
  private async settled(id: string, inputs: Properties): Promise<Properties> {
    const object = plain(inputs) as KubernetesObject;
    const made = await this.client.get(object);
    if (made === undefined) {
      throw new Error(`${describeObject(object)} is gone`);
    }
    try {
      return outputs(await this.ready(object), inputs);
    } catch (error) {
      const reason = messageOf(error);
      throw new InitializationError(id, outputs(made, inputs), [reason, ...(await waitingPods(this.client))]);
    }
  }

  private async ready(object: KubernetesObject): Promise<KubernetesObject> {
    const find = async () => {
      const found = await this.reachable(() => this.client.get(object));
      return found !== undefined && isReady(found) ? found : undefined;
    };
    return waitFor(`${describeObject(object)} to be ready`, find, this.options.patience);
  }

  /** What the API server answers; undefined while it does not. */
  private async reachable<T>(ask: () => Promise<T>): Promise<T | undefined> {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof ApiError) {
        throw error;
      }
      return undefined;
    }
  }
}

/** An object was made, but is not ready: the SDK sends `id` and `properties` to the engine, which records them. */
class InitializationError extends Error {
  constructor(
    readonly id: string,
    readonly properties: Properties,
    readonly reasons: readonly string[],
  ) {
    super(`${id} was created, but is not ready`);
  }
}

function isForced({ metadata }: KubernetesObject): boolean {
  return metadata.annotations?.["pulumi.com/patchForce"] === "true";
}

/** What an object's owner determines: the rest changes by itself. */
function stable(object: KubernetesObject): KubernetesObject {
  const { name, namespace, uid, labels, annotations } = object.metadata;
  return { ...object, metadata: { name, namespace, uid, labels, annotations }, status: undefined };
}

/** What programs read of an object, such as its `resourceVersion`, and what `diff` compares later. */
function outputs(live: KubernetesObject, inputs: Properties): Properties {
  const metadata = { ...live.metadata, managedFields: undefined };
  const properties = JSON.parse(JSON.stringify({ ...live, metadata, status: undefined })) as Properties;
  const hidden = Object.entries(properties).map(([key, value]) => {
    const isSecret = holdsSecret(inputs[key]) || (live.kind === "Secret" && key === "data");
    return [key, isSecret ? secret(value) : value];
  });
  return { ...Object.fromEntries(hidden), [INPUTS]: inputs };
}

/** The live values of the fields that inputs name. */
function project(live: unknown, inputs: unknown): unknown {
  if (holdsSecret(inputs) || inputs === null || typeof inputs !== "object") {
    return holdsSecret(inputs) ? inputs : live;
  }
  if (Array.isArray(inputs)) {
    return Array.isArray(live) ? live.map((item, index) => project(item, inputs[index])) : live;
  }
  const found = (live ?? {}) as Properties;
  return Object.fromEntries(
    Object.entries(inputs as Properties)
      .filter(([key]) => key in found || key === "stringData")
      .map(([key, value]) => [key, key in found ? project(found[key], value) : value]),
  );
}
