/** A picture that an agent or a person gave. Only kinds of files that hold nothing but a picture are shown. */

const KINDS = /^image\/(?:png|jpeg|gif|webp)$/;
const BASE64 = /^[A-Za-z0-9+/=\s]*$/;

/** Its address, or null where it is not shown. */
export const pictureAddress = (mime: string, data: string): string | null =>
  KINDS.test(mime) && BASE64.test(data) && data !== '' ? `data:${mime};base64,${data}` : null;

export function Picture({ mime, data, label }: { mime: string; data: string; label: string }) {
  const source = pictureAddress(mime, data);
  return source ? (
    <img className="picture" src={source} alt={label} />
  ) : (
    <p className="picture-not">Unsupported image type ({mime || 'unnamed'}).</p>
  );
}
