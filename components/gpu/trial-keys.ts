import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";
import { standardLabels } from "../../names/labels";
import { named } from "../core/known";
import { KEY_FILES } from "./fabric-trial";
import { TRIAL_APP } from "./names";
import { trialKeys } from "./ssh-keys";

const NAME = "trial-keys";

/**
 * SSH keys of trial pods.
 *
 * @returns name of their Secret.
 */
export function trialKeysSecret(
  child: (suffix: string) => string,
  namespace: pulumi.Input<string>,
  opts: { readonly parent: pulumi.Resource },
): pulumi.Output<string> {
  const secret = new random.RandomPassword(child("secret"), { length: 48, special: false }, opts);
  const file = (name: keyof typeof KEY_FILES) => secret.result.apply((text) => trialKeys(text)[name]);
  const keys = new kubernetes.core.v1.Secret(
    child("keys"),
    {
      metadata: { name: NAME, namespace, labels: standardLabels(TRIAL_APP, "keys") },
      type: "Opaque",
      stringData: {
        [KEY_FILES.client]: file("client"),
        [KEY_FILES.host]: file("host"),
        [KEY_FILES.authorizedKeys]: file("authorizedKeys"),
        [KEY_FILES.knownHosts]: file("knownHosts"),
      },
    },
    opts,
  );
  return named(keys, NAME);
}
