/** The bytes are no file of that format and compression. The message says where it ends to be one. */
export class UnreadableFile extends Error {}
