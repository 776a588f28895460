"""The scans that same-bits makes, and what it does with them."""

REAL = {
    "TOOTH": "tomopy-tooth/tooth.h5",
    "WOOD": "psi-wood-sinogram/woodsino_0200.tif",
    "NXTOMO": "savu-24737-nxtomo/24737-derived.nxs",
    "TIFFS": "savu-24737-tiff",
}

# Name, and options of tomolens-cli phantom. The axis is 2 % of the columns and
# a quarter of a column off the middle.
PHANTOMS = """
half-turn      --size 160 --rows 12 --projections 150 --noise 20000
no-noise       --size 128 --rows 4 --projections 120
end-point      --size 128 --rows 6 --projections 91 --end-point --noise 20000
full-turn      --size 128 --rows 6 --projections 180 --angles 0:360 --noise 9000
odd            --size 97 --rows 5 --projections 61 --centre 44.3 --noise 9000
tiny           --size 17 --rows 1 --projections 13
wide           --size 1009 --rows 1 --projections 90 --noise 20000
few            --size 256 --rows 3 --projections 7
left           --size 128 --rows 6 --projections 240 --half left --noise 20000
right          --size 128 --rows 6 --projections 241 --half right --noise 20000
left-leaning   --size 128 --rows 24 --projections 240 --half left --tilt 1.5
small-tilt     --size 160 --rows 32 --projections 150 --tilt 0.2 --noise 20000
large-tilt     --size 128 --rows 48 --projections 120 --tilt 3 --noise 20000
large-end      --size 128 --rows 48 --projections 91 --end-point --tilt -1
tall           --size 96 --rows 64 --projections 90 --pixel-size 2 --noise 9000
"""

# Name, and command; words in capitals are the scans of REAL. The script adds
# the engine and the place of the result. Names that begin with "fast/" are
# cases in fast precision, those with "refused/" must end with an exit status
# other than 0, which is hashed too.
CASES = """
phantom/counts           recon half-turn.h5 --flat-field off --minus-log off
phantom/transmission     recon half-turn.h5 --minus-log off
phantom/numbers          phantom again.h5 --size 64 --rows 3 --tilt 1 --json

plain/half-turn          recon half-turn.h5
plain/first-row          recon half-turn.h5 --slice 0
plain/several            recon half-turn.h5 --slices 1:11:3
plain/no-noise           recon no-noise.h5
plain/end-point          recon end-point.h5
plain/full-turn          recon full-turn.h5
plain/few                recon few.h5
plain/png                recon half-turn.h5 --png

size/odd                 recon odd.h5 --centre 44.3
size/odd-hann            recon odd.h5 --slices 0:4 --centre 44.3 --filter hann
size/tiny                recon tiny.h5
size/tiny-cubic          recon tiny.h5 --interpolation cubic
size/wide                recon wide.h5 --centre 524.43
size/wide-cubic          recon wide.h5 --centre 524.43 --interpolation cubic

centre/number            recon half-turn.h5 --centre 82.75
centre/rough             recon half-turn.h5 --centre 82.123456789
centre/left-edge         recon half-turn.h5 --centre 0
centre/beyond-middle     recon half-turn.h5 --centre 131.5
centre/boundary          recon half-turn.h5 --boundary 83.25
centre/auto              recon half-turn.h5 --centre auto --json

filter/shepp-logan       recon half-turn.h5 --filter shepp-logan
filter/cosine            recon half-turn.h5 --filter cosine
filter/hann              recon half-turn.h5 --filter hann
filter/hamming           recon half-turn.h5 --filter hamming
filter/parzen            recon half-turn.h5 --filter parzen
filter/butterworth       recon half-turn.h5 --filter butterworth --cutoff 0.5
filter/butterworth-1     recon half-turn.h5 --filter butterworth --butterworth-order 1 --cutoff 0.4
filter/butterworth-64    recon half-turn.h5 --filter butterworth --butterworth-order 64 --cutoff 0.7

cutoff/ramp-0.5          recon half-turn.h5 --cutoff 0.5
cutoff/ramp-0.013        recon half-turn.h5 --cutoff 0.013
cutoff/hann-0.8          recon half-turn.h5 --filter hann --cutoff 0.8
cutoff/parzen-0.33       recon half-turn.h5 --filter parzen --cutoff 0.33
cutoff/shepp-logan-0.6   recon half-turn.h5 --filter shepp-logan --cutoff 0.6

interpolation/nearest           recon half-turn.h5 --centre 82.6 --interpolation nearest
interpolation/linear            recon half-turn.h5 --centre 82.6 --interpolation linear
interpolation/oversampled       recon half-turn.h5 --centre 82.6 --interpolation oversampled
interpolation/cubic             recon half-turn.h5 --centre 82.6 --interpolation cubic
interpolation/full-nearest      recon full-turn.h5 --interpolation nearest
interpolation/full-oversampled  recon full-turn.h5 --interpolation oversampled
interpolation/full-cubic        recon full-turn.h5 --interpolation cubic --filter cosine

preset/plain             recon half-turn.h5 --preset plain
preset/sharp             recon half-turn.h5 --preset sharp
preset/standard          recon half-turn.h5 --preset standard
preset/smooth            recon half-turn.h5 --preset smooth
preset/quick             recon half-turn.h5 --preset quick
preset/overruled         recon half-turn.h5 --preset smooth --cutoff 0.9

padding/edge             recon half-turn.h5 --padding edge --centre 60
padding/zero             recon half-turn.h5 --padding zero --centre 60
padding/zero-odd         recon odd.h5 --padding zero --filter parzen
padding/zero-half        recon left.h5 --padding zero --centre 15.9

angles/full              recon half-turn.h5 --angles 0:360
angles/negative          recon half-turn.h5 --angles -88.2:91.7
angles/downward          recon half-turn.h5 --angles 180:1.2
angles/short             recon half-turn.h5 --angles 0:120
angles/more-than-a-turn  recon half-turn.h5 --angles 0:500
angles/file              recon odd.h5 --angles-file uneven.txt

flat-field/off           recon spoilt --flat-field off
flat-field/off-log       recon half-turn.h5 --flat-field off --minus-log on
minus-log/off            recon spoilt --minus-log off

spoilt/folder            recon spoilt
spoilt/rows              recon spoilt --slices 0:5
spoilt/stack             recon stack/scan.tif
spoilt/patterns          recon spoilt --projections scan_*.tif --flats flats/*_0.tif --darks darks/*_1.tif
spoilt/info              info spoilt --json
spoilt/stack-info        info stack/scan.tif --json
spoilt/nan               recon sinogram.tif --nan replace --angles 0:180
spoilt/nan-rings         recon sinogram.tif --nan replace --rings sorting
spoilt/nan-log           recon sinogram.tif --nan replace --minus-log on

sample/packed-stack      recon packed/scan.tif --angles 0:178
sample/unsigned-8        recon sinogram-B.tif
sample/signed-8          recon sinogram-b.tif
sample/unsigned-16       recon sinogram-H.tif
sample/signed-16         recon sinogram-h.tif
sample/unsigned-32       recon sinogram-I.tif
sample/signed-32         recon sinogram-i.tif
sample/float-64          recon sinogram-d.tif

zingers/on               recon spoilt --zingers on
zingers/low              recon spoilt --zingers on --zinger-threshold 0.02
zingers/high             recon spoilt --zingers on --zinger-threshold 1.5 --slice 1
zingers/noise            recon half-turn.h5 --zingers on --zinger-threshold 0.01
zingers/no-log           recon half-turn.h5 --zingers on --zinger-threshold 0.005 --minus-log off
zingers/sinogram         recon sinogram.tif --nan replace --zingers on

rings/sorting            recon spoilt --rings sorting
rings/sorting-3          recon spoilt --rings sorting --ring-size 3
rings/sorting-31         recon spoilt --rings sorting --ring-size 31
rings/sorting-301        recon half-turn.h5 --rings sorting --ring-size 301
rings/wavelet            recon spoilt --rings wavelet
rings/wavelet-1          recon spoilt --rings wavelet --ring-levels 1 --ring-sigma 0.3
rings/wavelet-5          recon half-turn.h5 --rings wavelet --ring-levels 5 --ring-sigma 3
rings/wavelet-10         recon odd.h5 --rings wavelet --ring-levels 10 --ring-sigma 20
rings/half               recon right.h5 --rings sorting --centre 111.1
rings/half-wavelet       recon right.h5 --rings wavelet --centre 111.1
rings/zingers            recon spoilt --rings sorting --zingers on --slices 0:5:2

half/middle              recon left.h5
half/left-centre         recon left.h5 --centre 15.9
half/left-number         recon left.h5 --centre 12.25 --slices 1:3
half/left-feather        recon left.h5 --centre 15.9 --feather 7
half/left-feather-wide   recon left.h5 --centre 15.9 --feather 20.5
half/right               recon right.h5 --centre 111.1
half/right-feather       recon right.h5 --centre 111.1 --feather 9 --filter hann
half/right-cubic         recon right.h5 --centre 111.1 --interpolation cubic
half/right-nearest       recon right.h5 --centre 111.1 --interpolation nearest
half/off                 recon left.h5 --centre 15.9 --half off
half/on                  recon full-turn.h5 --centre 50.2 --half on
half/auto                recon right.h5 --centre auto --json
half/leaning-much        recon left-leaning.h5 --tilt 1.5 --centre 15.9
half/leaning-little      recon left-leaning.h5 --tilt 0.1 --centre 15.9 --slice 3

tilt/small               recon small-tilt.h5 --tilt 0.2 --centre 82.6 --slice 2
tilt/small-rows          recon small-tilt.h5 --tilt 0.2 --centre 82.6 --slices 0:31:7
tilt/small-nearest       recon small-tilt.h5 --tilt 0.2 --interpolation nearest --slice 30
tilt/large               recon large-tilt.h5 --tilt 3 --centre 66.3
tilt/large-rows          recon large-tilt.h5 --tilt 3 --centre 66.3 --slices 0:47:9
tilt/large-negative      recon large-end.h5 --tilt -1 --slice 40
tilt/large-zingers       recon large-tilt.h5 --tilt 3 --zingers on --zinger-threshold 0.02
tilt/large-rings         recon large-tilt.h5 --tilt 3 --rings wavelet --slice 12

plane/between            recon half-turn.h5 --plane xy:4.25
plane/xz                 recon large-tilt.h5 --tilt 3 --centre 66.3 --plane xz:60
plane/yz                 recon small-tilt.h5 --tilt 0.2 --plane yz:70 --interpolation cubic
plane/half               recon left.h5 --half on --plane xz:90
plane/oblique            recon half-turn.h5 --plane oblique:79.5,79.5,6:1,0,0.1:0,1,0.05
plane/coarse             recon half-turn.h5 --plane oblique:79.5,70,6:4,1,0:0,3,0.2 --json

phase/on                 recon tall.h5 --phase on --energy 20 --distance 30 --delta-beta 200
phase/edge-row           recon tall.h5 --phase on --energy 20 --distance 30 --delta-beta 200 --slice 0
phase/pixel-size         recon tall.h5 --phase on --energy 35 --distance 20 --delta-beta 80 --pixel-size 0.9
phase/padding-zero       recon tall.h5 --phase on --energy 20 --distance 30 --delta-beta 200 --padding zero
phase/corrections        recon tall.h5 --phase on --energy 20 --distance 30 --delta-beta 90 --zingers on --zinger-threshold 0.03 --rings sorting
phase/tilt               recon large-tilt.h5 --tilt 3 --phase on --energy 20 --distance 10 --delta-beta 50
phase/half               recon left.h5 --centre 15.9 --phase on --energy 20 --distance 5 --delta-beta 50

precision/full           recon odd.h5 --precision full
kernel/auto              recon odd.h5 --kernel auto
kernel/standard          recon odd.h5 --kernel standard
kernel/standard-nearest  export odd.h5 --kernel standard --interpolation nearest
kernel/standard-linear   export odd.h5 --kernel standard --interpolation linear
kernel/standard-cubic    export odd.h5 --kernel standard --interpolation cubic
kernel/alu-nearest       export half-turn.h5 --kernel alu --interpolation nearest
kernel/alu-linear        export half-turn.h5 --kernel alu --interpolation linear
kernel/alu-linear-one    recon half-turn.h5 --kernel alu --interpolation linear
kernel/alu-linear-two    export half-turn.h5 --kernel alu --slices 0:1
kernel/alu-oversampled   export half-turn.h5 --kernel alu --interpolation oversampled
kernel/alu-cubic         export half-turn.h5 --kernel alu --interpolation cubic
kernel/alu-wide          recon wide.h5 --kernel alu --centre 524.43
kernel/texture-nearest   export half-turn.h5 --kernel texture --interpolation nearest
kernel/texture-linear    export half-turn.h5 --kernel texture --interpolation linear
kernel/texture-one       recon half-turn.h5 --kernel texture
kernel/texture-two       export half-turn.h5 --kernel texture --slices 0:1
kernel/texture-cubic     export half-turn.h5 --kernel texture --interpolation cubic
kernel/texture-wide      recon wide.h5 --kernel texture --centre 524.43
kernel/quarters-nearest  export half-turn.h5 --kernel texture-quarters --interpolation nearest
kernel/quarters-linear   export half-turn.h5 --kernel texture-quarters
kernel/quarters-one      recon half-turn.h5 --kernel texture-quarters
kernel/hybrid-linear     export half-turn.h5 --kernel hybrid

fast/linear              recon half-turn.h5 --precision fast
fast/nearest             recon half-turn.h5 --precision fast --interpolation nearest
fast/oversampled         recon half-turn.h5 --precision fast --interpolation oversampled
fast/cubic               recon half-turn.h5 --precision fast --interpolation cubic
fast/half                recon left.h5 --precision fast --centre 15.9
fast/export              export half-turn.h5 --precision fast
fast/cost                recon half-turn.h5 --precision-cost --png --json

recipe/file              recon recipe.ini
recipe/option            recon odd.h5 --recipe recipe.ini
recipe/overruled         recon recipe.ini --filter ramp --slice 1
recipe/export            export recipe.ini

export/all               export half-turn.h5 --json
export/rows              export half-turn.h5 --slices 3:8 --filter hann
export/folder            export spoilt --zingers on --rings sorting
export/half              export right.h5 --centre 111.1
export/small-tilt        export small-tilt.h5 --tilt 0.2 --centre 82.6
export/large-tilt        export large-tilt.h5 --tilt 3 --centre 66.3 --slices 10:30
export/phase             export tall.h5 --phase on --energy 20 --distance 30 --delta-beta 200
export/auto              export end-point.h5 --centre auto --json

numbers/recon            recon spoilt --zingers on --json
numbers/several          recon half-turn.h5 --slices 0:11:4 --json
numbers/info             info half-turn.h5 --json
numbers/info-half        info left.h5 --json

estimate/half-turn       centre half-turn.h5 --json
estimate/end-point       centre end-point.h5 --json
estimate/full-turn       centre full-turn.h5 --json
estimate/left            centre left.h5 --json
estimate/right           centre right.h5 --json
estimate/odd             centre odd.h5 --json
estimate/wide            centre wide.h5 --json
estimate/no-noise        centre no-noise.h5 --json
estimate/spoilt          centre spoilt --json
estimate/zingers         centre spoilt --zingers on --json
estimate/rows            centre half-turn.h5 --slices 0:11:5 --json
estimate/range           centre half-turn.h5 --range 70:95 --json
estimate/tilt            centre large-tilt.h5 --tilt 3 --slice 12 --json
estimate/phase           centre half-turn.h5 --by phase --json
estimate/vo              centre half-turn.h5 --by vo --json
estimate/moments         centre half-turn.h5 --by moments --json
estimate/sharpness       centre half-turn.h5 --by sharpness --json
estimate/symmetry        centre stack/scan.tif --by symmetry --json
estimate/overlap         centre right.h5 --by overlap --json

height/small             centre small-tilt.h5 --height --json
height/large             centre large-tilt.h5 --height --json
height/end-point         centre large-end.h5 --height --rows 12 --json
height/turned            centre large-tilt.h5 --height --tilt 3 --json
height/tall              centre tall.h5 --height --rows 64 --json
height/methods           centre small-tilt.h5 --height --rows 9 --by vo --by moments --json
height/half              centre left-leaning.h5 --height --json

opposite/first           centre large-end.h5 --opposite first --json
opposite/number          centre full-turn.h5 --opposite 7 --json
opposite/tilt            centre large-tilt.h5 --opposite first --json
opposite/raw             centre tall.h5 --opposite first --flat-field off --minus-log off --json

candidates/found         centre half-turn.h5 --candidates 5 --json
candidates/full-turn     centre full-turn.h5 --candidates 7 --step 0.5 --around 66 --json
candidates/half          centre left.h5 --candidates 5 --step 0.5 --around 15.9 --json
candidates/region        centre half-turn.h5 --candidates 5 --around 82 --region 30:99,40:120 --json
candidates/entropy       centre half-turn.h5 --candidates 9 --around 82 --metric entropy --json
candidates/negativity    centre half-turn.h5 --candidates 9 --around 82 --metric negativity --json
candidates/gradient      centre full-turn.h5 --candidates 9 --around 66 --metric gradient --json
candidates/deviation     centre full-turn.h5 --candidates 9 --around 66 --metric deviation --json
candidates/recipe        centre spoilt --candidates 3 --around 49.5 --filter parzen --rings sorting --zingers on --json
candidates/cubic         centre odd.h5 --candidates 4 --step 1 --around 44.3 --interpolation cubic --json
candidates/tilt          centre large-tilt.h5 --candidates 3 --around 66.3 --tilt 3 --slice 9 --json

refused/short-of-half    centre half-turn.h5 --angles 0:170 --json
refused/few              centre few.h5 --json
refused/opposite         centre right.h5 --opposite first --json
refused/method           centre full-turn.h5 --by symmetry --json
refused/nan              recon sinogram.tif --json
refused/centre           recon odd.h5 --centre 97.5 --json
refused/slice            recon odd.h5 --slice 5 --json
refused/cutoff           recon odd.h5 --cutoff 1.01 --json

real/tooth               recon TOOTH --centre 295.8
real/tooth-auto          recon TOOTH --centre auto --slice 0 --json
real/tooth-corrected     recon TOOTH --centre 295.8 --rings sorting --zingers on --filter hann
real/tooth-estimate      centre TOOTH --json
real/tooth-candidates    centre TOOTH --candidates 3 --step 0.5 --around 295.8 --json
real/tooth-info          info TOOTH --json
real/wood                recon WOOD --angles 0:360 --centre 252.5
real/wood-wavelet        recon WOOD --angles 0:360 --centre 252.5 --rings wavelet --cutoff 0.7
real/wood-log            recon WOOD --minus-log on
real/wood-estimate       centre WOOD --angles 0:360 --json
real/nxtomo              recon NXTOMO --centre 85.83 --slice 100
real/nxtomo-tilt         recon NXTOMO --centre 85.83 --slice 100 --tilt 0.7
real/nxtomo-phase        recon NXTOMO --centre 85.83 --phase on --energy 20 --distance 15 --delta-beta 60 --pixel-size 2
real/nxtomo-info         info NXTOMO --json
real/nxtomo-height       centre NXTOMO --height --json
real/tiffs               recon TIFFS --centre 85.83 --slices 60:120:20
real/tiffs-export        export TIFFS --centre 85.83 --slices 70:89 --rings sorting
real/tiffs-info          info TIFFS --json
real/tiffs-estimate      centre TIFFS --slice 100 --json
real/tiffs-opposite      centre TIFFS --opposite first --json
"""

# A recipe file in the words that the files of users have.
RECIPE = """[scan]
path=odd.h5

[recipe]
slice=2
centre=44.3
tilt=0.05
half=off
filter=butterworth
cutoff=0.6
butterworth-order=3
interpolation=cubic
kernel=auto
precision=full
padding=zero
flat-field=on
minus-log=on
zingers=on
zinger-threshold=0.04
phase=off
energy=20
distance=50
delta-beta=300
rings=wavelet
ring-size=7
ring-levels=2
ring-sigma=1.5
nan=refuse
"""
