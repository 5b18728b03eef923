/** What a permission rule allows, in words; the command or tool between backticks is shown as code. */
export function RuleText({ text }: { text: string }) {
  const [from, to] = [text.indexOf('`'), text.lastIndexOf('`')];
  if (from < 0 || to <= from) return <>{text}</>;
  return (
    <>
      {text.slice(0, from)}
      <code>{text.slice(from + 1, to)}</code>
      {text.slice(to + 1)}
    </>
  );
}
