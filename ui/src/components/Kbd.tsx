/** Keys as caps: `Ctrl K`, `g s`. Parts are divided by spaces. */
export function Kbd({ keys }: { keys: string }) {
  return (
    <span className="keys">
      {keys.split(' ').map((key, i) => (
        <kbd key={i} className="kbd">
          {key}
        </kbd>
      ))}
    </span>
  );
}
