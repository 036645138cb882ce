/** Hostile names: each sets `window.executed` if a page executes it. */
export const ATTACKS = [
  '<script>window.executed=1</script>',
  '"><img src=x onerror=window.executed=1>',
  "'><svg/onload=window.executed=1>",
  '</title></style></textarea><script>window.executed=1</script>',
  '<iframe srcdoc="<script>parent.executed=1</script>"></iframe>',
  '[a](javascript:window.executed=1) <javascript:window.executed=1>',
  '[a]: data:text/html;base64,PHNjcmlwdD4= "x"\n[a]\n![b](x" onerror="window.executed=1)',
  '<a href="java\tscript:window.executed=1">a</a> <details open ontoggle=window.executed=1>',
  '{{constructor.constructor("window.executed=1")()}} ${window.executed=1}',
  '<style>*{background:url(//evil.example)}</style><base href=//evil.example><meta http-equiv=refresh content="0;url=//evil.example">',
];
/** Addresses that a page must not link to. */
export const URLS = [
  'javascript:window.executed=1',
  'java\tscript:window.executed=1',
  'data:text/html,x',
  '//evil.example',
  '/\\evil.example',
];
