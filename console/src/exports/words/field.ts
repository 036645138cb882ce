/** A field that an error names, as people call it: `destination__config__bucket_name` is `bucket name`. */
export function fieldWords(attr: string): string {
  return (attr.split('__').at(-1) ?? attr).replaceAll('_', ' ');
}
