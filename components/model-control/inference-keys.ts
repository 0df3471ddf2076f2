import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";
import { standardLabels } from "../../names/labels";
import { MODEL_CONTROL } from "../../names/services";
import { API_FILES } from "./api-settings";

export const INFERENCE_KEYS = "inference-keys";

/** Random alphanumerics which, with a trailing "=", are 32 bytes in base64. */
const LETTERS_OF_32_BYTES = 43;

export interface InferenceKeysArgs {
  readonly namespace: pulumi.Input<string>;
  /** One stable random key per name: the first encrypts, all decrypt. */
  readonly ids: readonly string[];
}

/** Encryption keys of prompts and answers. The API reloads the Secret on change. */
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
