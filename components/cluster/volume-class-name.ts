/** Name of the platform's volume class, if it creates one. */
export const VOLUME_CLASS = "inference-encrypted";
