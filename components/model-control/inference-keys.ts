import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";
import { standardLabels } from "../../names/labels";
import { MODEL_CONTROL } from "../../names/services";
import { API_FILES } from "./api-settings";

/** Name of the Secret. */
export const INFERENCE_KEYS = "inference-keys";

/** Random letters and digits that, with one "=" behind them, are 32 bytes in base64. */
const LETTERS_OF_32_BYTES = 43;

export interface InferenceKeysArgs {
  readonly namespace: pulumi.Input<string>;
  /** A random key for each, which stays as long as its name does: the first one encrypts, all decrypt. */
  readonly ids: readonly string[];
}

/** The Secret with the file of the keys that prompts and answers are encrypted with. The API reads it again whenever it changes. */
export function inferenceKeys(
  name: string,
  { namespace, ids }: InferenceKeysArgs,
  opts: { readonly parent: pulumi.Resource },
): kubernetes.core.v1.Secret {
  const keys = ids.map((id) => {
    const { result } = new random.RandomPassword(
      `${name}-${id}`,
      { length: LETTERS_OF_32_BYTES, special: false },
      opts,
    );
    return { id, key: pulumi.interpolate`${result}=` };
  });
  const file = pulumi.output(keys).apply((all) => JSON.stringify({ keys: all }));
  return new kubernetes.core.v1.Secret(
    `${name}-secret`,
    {
      metadata: { name: INFERENCE_KEYS, namespace, labels: standardLabels("inference-keys", MODEL_CONTROL) },
      type: "Opaque",
      stringData: pulumi.secret({ [API_FILES.keys.file]: file }),
    },
    opts,
  );
}
