import type { LoadAs } from "./served-model";

export type WeightsAnswer =
  | {
      /** Empty if detected automatically. */
      readonly loadAs: LoadAs;
      /** Format of copied files, if it differs from config.json's. */
      readonly files?: string;
      /** Unverified properties of the format. */
      readonly note?: string;
    }
  | {
      /** Why the checkpoint cannot be served in the requested format, with the fix. */
      readonly refusal: string;
      /** The engine refuses any checkpoint. */
      readonly ofEngine?: true;
    };
