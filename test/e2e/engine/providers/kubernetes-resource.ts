import { isDeepStrictEqual } from "node:util";
import type * as provider from "@pulumi/pulumi/provider";
import type { ApiClient } from "../../cluster/api-client";
import { describeObject, type KubernetesObject } from "../../cluster/kubernetes-object";
import { waitingPods } from "../../cluster/pods";
import { waitFor } from "../../cluster/wait";
import { isReady } from "./readiness";
import { replacementPaths } from "./replacement";
import { holdsSecret, type Properties, plain, secret } from "./secrets";

const FIELD_MANAGER = "pulumi-kubernetes";
/** Seconds to wait for readiness or deletion. */
const PATIENCE_SECONDS = 60;
/** State keeps the inputs beside what the server made of them: differences are judged between inputs. */
const INPUTS = "__inputs";

/** Kubernetes objects by strict server-side apply, with the official provider's rules about replacing and waiting. */
export class KubernetesResource {
  constructor(private readonly client: ApiClient) {}

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
    if ((await this.client.get(object)) !== undefined) throw new Error(`${describeObject(object)} already exists`);
    const { namespace, name } = object.metadata;
    return { id: namespace === undefined ? name : `${namespace}/${name}`, outs: await this.apply(inputs) };
  }

  async update(news: Properties): Promise<provider.UpdateResult> {
    return { outs: await this.apply(news) };
  }

  /** The live object; its inputs are changed only where applying them again would change the object. */
  async read(id: string, props: Properties): Promise<provider.ReadResult> {
    const inputs = props[INPUTS] as Properties;
    const wanted = plain(inputs) as KubernetesObject;
    const live = await this.client.get(wanted);
    if (live === undefined) return { id: "", props: {} };
    const repaired = await this.client.apply(wanted, { dryRun: true, fieldManager: FIELD_MANAGER });
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
      PATIENCE_SECONDS,
    );
  }

  private async apply(inputs: Properties): Promise<Properties> {
    const object = plain(inputs) as KubernetesObject;
    await this.client.apply(object, { fieldManager: FIELD_MANAGER });
    return outputs(await this.ready(object), inputs);
  }

  private async ready(object: KubernetesObject): Promise<KubernetesObject> {
    const find = async () => {
      const found = await this.client.get(object);
      return found !== undefined && isReady(found) ? found : undefined;
    };
    try {
      return await waitFor(`${describeObject(object)} to be ready`, find, PATIENCE_SECONDS);
    } catch (error) {
      const pods = await waitingPods(this.client);
      throw new Error([error instanceof Error ? error.message : String(error), ...pods].join("\n"));
    }
  }
}

/** What an object's owner determines: the rest changes by itself. */
function stable(object: KubernetesObject): KubernetesObject {
  const { name, namespace, uid, labels, annotations } = object.metadata;
  return { ...object, metadata: { name, namespace, uid, labels, annotations }, status: undefined };
}

function outputs(live: KubernetesObject, inputs: Properties): Properties {
  const properties = JSON.parse(JSON.stringify(stable(live))) as Properties;
  const hidden = Object.entries(properties).map(([key, value]) => {
    const isSecret = holdsSecret(inputs[key]) || (live.kind === "Secret" && key === "data");
    return [key, isSecret ? secret(value) : value];
  });
  return { ...Object.fromEntries(hidden), [INPUTS]: inputs };
}

/** The live values of the fields that inputs name. */
function project(live: unknown, inputs: unknown): unknown {
  if (holdsSecret(inputs) || inputs === null || typeof inputs !== "object" || Array.isArray(inputs)) {
    return holdsSecret(inputs) ? inputs : live;
  }
  const found = (live ?? {}) as Properties;
  return Object.fromEntries(
    Object.entries(inputs as Properties)
      .filter(([key]) => key in found || key === "stringData")
      .map(([key, value]) => [key, key in found ? project(found[key], value) : value]),
  );
}
