import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { MODEL_LABEL, standardLabels } from "../../names/labels";
import { childrenOfGone, type OptionsOfGone } from "../core/gone-component";
import { named } from "../core/known";
import { type ManifestPin, type ManifestPinArgs, manifestPin } from "./manifest-pin";
import { credentialsSecret, type StoreClient, storeClient } from "./store-client";
import type { StoreKeys } from "./store-keys";
import type { StoreServer } from "./store-server";

const KEYS = "model-store-keys";

export interface ModelStoreAccessArgs {
  readonly model: string;
  /** The model's namespace. */
  readonly namespace: pulumi.Input<string>;
  readonly bucket: string;
  /** Key prefix of the model. */
  readonly prefix: string;
  /** Of the model's reader. */
  readonly keys: StoreKeys;
  readonly server: StoreServer;
  /** Account that fills the prefix, and its namespace; `undefined` when it is filled by hand. */
  readonly syncAccount: ManifestPinArgs["writer"] | undefined;
}

/**
 * What a model's pods need to read their weights, put into their namespace: read-only keys, the store's authority, and
 * the hash of what was copied.
 */
export class ModelStoreAccess {
  readonly bucket: string;
  readonly prefix: string;
  readonly client: StoreClient;
  /** `undefined` for files that no sync Job copies. */
  readonly pin: ManifestPin | undefined;

  /** @param name prefix of the logical names of what it makes, all of it children of the parent that `opts` names. */
  constructor(name: string, args: ModelStoreAccessArgs, opts: OptionsOfGone) {
    const options = { ...opts, aliases: childrenOfGone("storage:ModelStoreAccess", name, opts) };
    const labels = standardLabels("model-store-access", args.model, { [MODEL_LABEL]: args.model });
    const keys = new kubernetes.core.v1.Secret(
      `${name}-keys`,
      {
        metadata: { name: KEYS, namespace: args.namespace, labels },
        stringData: credentialsSecret(args.keys),
      },
      options,
    );
    const authority = args.server.trustIn(`${name}-trust`, args.namespace, options);
    this.pin =
      args.syncAccount &&
      manifestPin(
        `${name}-manifest`,
        { model: args.model, namespace: args.namespace, writer: args.syncAccount },
        options,
      );
    this.bucket = args.bucket;
    this.prefix = args.prefix;
    this.client = storeClient(named(keys, KEYS), args.server, authority);
  }
}
