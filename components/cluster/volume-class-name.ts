/** Name of the class of the platform's volumes, where it makes one. */
export const VOLUME_CLASS = "inference-encrypted";
